/* SPDX-License-Identifier: GPL-2.0-only */
/* The flat guest, carried in the host program: one file to copy and run. */
	.section .rodata
	.globl	vmexit_image, vmexit_image_end
	.balign	16
vmexit_image:
	.incbin	VMEXIT_IMAGE
vmexit_image_end:

	.section .note.GNU-stack, "", @progbits
