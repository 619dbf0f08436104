# SPDX-License-Identifier: GPL-2.0-only
"""Plots by gnuplot, each as PNG and as SVG."""

import json
import os
import subprocess

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "style.gp")


def setting(name, value):
    """An assignment, as gnuplot writes it. Its strings are written as those of JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return f"array {name}[{len(value)}] = {text}" if isinstance(value, list) else \
        f"{name} = {text}"


def draw(script, prefix, **settings):
    """Run the script, with the settings, for prefix.png and prefix.svg."""
    for terminal, suffix in (("pngcairo", "png"), ("svg", "svg")):
        target = f"{prefix}.{suffix}"
        every = dict(settings, terminal_name=terminal, output_file=target, style=STYLE)
        commands = "; ".join(setting(name, value) for name, value in every.items())
        subprocess.run(["gnuplot", "-e", commands, script], check=True)
        print(f"plot: {target}")
