/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_GUEST_IMAGE_H
#define BENCH_GUEST_IMAGE_H

/* guest/'s flat image, for vmm_load() */
extern const char vmexit_image[], vmexit_image_end[];

#endif
