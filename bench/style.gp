# SPDX-License-Identifier: GPL-2.0-only
#
# What all plots have in common. Set before: terminal_name, output_file, and the
# picture's height, or picture_width, too. plot.py sets the first two, and where this
# file is.

if (!exists("picture_width")) picture_width = 1000
eval sprintf("set terminal %s size %d,%d font 'DejaVu Sans,11' linewidth 1.5", \
	     terminal_name, picture_width, height)
set output output_file

# Colours that all can tell apart, and dashes for print without any.
array colour[3] = ["#d55e00", "#0072b2", "#009e73"]
array dash[3] = [1, 2, 1]
array width[3] = [1, 1.4, 2]

set grid xtics ytics back linecolor "#dddddd" linetype 1 linewidth 0.5
set tics out nomirror
set border 3
set key top right Left reverse samplen 3 spacing 1.2
