# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The job that is the interactive shell: a session of its own on the console, for
# job control, which ends when the user leaves it.

# What a job's functions take for the end of the job is none of the shell's.
cat >/etc/profile <<'END'
stty rows "$rows" columns "$columns"
PS1='machine:\w# '
kvm_load() ( . /lib/job.sh; kvm_load "$@" )
kvm_unload() ( . /lib/job.sh; kvm_unload )
alias poweroff=exit
echo 'kvm_load stock|fastpath|floor [PARAMETER=VALUE]... loads kvm-intel; exit powers off.'
END
setsid cttyhack sh -l
