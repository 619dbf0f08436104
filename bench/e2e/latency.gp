# SPDX-License-Identifier: GPL-2.0-only
#
# Histograms of cyclictest's latency, one panel above the other. "report" sets before,
# beside what style.gp needs:
#
#   instructions  in a microsecond
#   bin, end      of the latencies, in microseconds
#   panels        their number
#   argument      an array: for each panel its title, the number of its lines, and for
#                 each line a file and a name

height = 60 + 330 * panels
picture_width = 1280
load style

# A logarithmic axis has no 0: an empty bin is below its end.
set logscale y
set yrange [0.7:*]
set xrange [0:end]
# Beside the panels: where the lines are depends on the modes.
set key rmargin top Left reverse samplen 3 spacing 1.3
set rmargin 52
set ylabel sprintf("ticks per bin of %.1f us", bin)
set xlabel sprintf("latency in us of the emulated machine (1 us = %d instructions)", instructions)

set multiplot layout panels, 1 \
	title "cyclictest in a Linux guest, by how its host's kvm-intel handles the timer"
at = 1
do for [panel = 1:panels] {
	set title argument[at]
	lines = argument[at + 1]
	first = at + 2
	plot for [line = 1:lines] argument[first + 2 * line - 2] \
		using 1:($2 > 0 ? $2 : 0.1) with steps \
		linecolor rgb colour[line] dashtype dash[line] linewidth width[line] \
		title argument[first + 2 * line - 1]
	at = first + 2 * lines
}
unset multiplot
