# SPDX-License-Identifier: GPL-2.0-only
#
# Histograms of the lateness, a panel for each period. "report" sets before, beside what
# style.gp needs:
#
#   panel            array: for each panel its data, columns with a heading, and its title
#   names            array: the modes, in the order of the columns after the first
#   about            what was measured where
#   lowest, highest  ends of the lateness
#   least            percent, below that of a single tick

panels = |panel| / 2
height = 80 + 320 * panels
load style

# A logarithmic axis has no 0: an empty bin is below its end.
set logscale xy
set xrange [lowest:highest]
set yrange [least:150]
set xtics (50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000)
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
set ylabel "ticks in a bin, % of all"
set xlabel "lateness in TSC ticks (instructions in the emulated machine)"

set multiplot layout panels, 1 \
	title "Lateness of the TSC-deadline interrupt\n{/*0.8 " . about . "}"
do for [at = 1:2 * panels:2] {
	set title panel[at + 1]
	plot for [mode = 1:3] panel[at] \
		using 1:(column(mode + 1) > 0 ? column(mode + 1) : least / 10) \
		with steps linecolor rgb colour[mode] dashtype dash[mode] \
		linewidth width[mode] title names[mode]
	unset key
}
unset multiplot
