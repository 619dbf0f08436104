# SPDX-License-Identifier: GPL-2.0-only
#
# The advance by the tuner and by stock's rule, beside the costs, a panel for each
# series. "plot" sets before, beside what style.gp needs:
#
#   series  array: for each panel its data, its title, the first and the last tick
#           to show, and the upper end of the scale

panels = |series| / 5
rows = (panels + 1) / 2
height = 110 + 220 * rows
load style

set key autotitle columnhead
set ylabel "TSC ticks"

set multiplot layout rows, 2 margins 0.09, 0.98, 60.0 / height, 1 - 95.0 / height \
	spacing 0.1, 75.0 / height \
	title "Advance by the tuner and by stock's rule, and the costs that it is to cover"
do for [at = 1:5 * panels:5] {
	set title series[at + 1]
	first = series[at + 2]
	last = series[at + 3]
	set xrange [first:last]
	set yrange [0:series[at + 4]]
	if (at == 1) {
		set key at screen 0.5, screen 1 - 40.0 / height center center vertical \
			maxrows 1 width 2
	} else {
		unset key
	}
	if (at > 5 * (panels - 2)) {
		set xlabel "number of the timer interrupt"
	}
	plot series[at] using "tick":"cost" with points pointtype 7 pointsize 0.25 \
			linecolor rgb "#999999" title "cost of an expiry", \
		series[at] using "tick":"stock" with lines linecolor rgb colour[1] \
			linewidth 1 title "stock's rule", \
		series[at] using "tick":"tuner" with lines linecolor rgb colour[3] \
			linewidth 1.8 title "tuner"
}
unset multiplot
