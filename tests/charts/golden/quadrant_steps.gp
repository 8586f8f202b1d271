# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'quadrant_steps.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
unset key
set lmargin at screen 0.101818
set rmargin at screen 0.727273
set bmargin at screen 0.0857143
set tmargin at screen 0.942857
set xrange [0:1.6128e+11]
set yrange [0:2.22096e+12]
set format x '%.0s %cB/s'
set format y '%.1s %cop/s'
set xlabel 'memory bandwidth: bytes of DRAM traffic per second' noenhanced
set title 'Quadrant-split of sgemm_32x32 (fp32)' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set object polygon from 0,0 to 8.95074e+10,2.22096e+12 to 0,2.22096e+12 to 0,0 to 0,0 behind fillstyle solid noborder fillcolor rgb '#FDF3DC'
set object polygon from 0,0 to 8.95074e+10,2.22096e+12 to 1.6128e+11,2.22096e+12 to 1.6128e+11,0 to 0,0 behind fillstyle solid noborder fillcolor rgb '#E4EFF7'
set label 'GeForce GTX 660' at screen 0.614315,0.16398 center noenhanced textcolor rgb '#0072B2'
set label 'sgemm_32x32' at screen 0.74,0.932143 left noenhanced textcolor rgb '#000000'
set label 'slope 24.81 op/B' at screen 0.74,0.910714 left noenhanced textcolor rgb '#000000'
set label 'yellow half: memory binds' at screen 0.74,0.889286 left noenhanced textcolor rgb '#8A5F00'
set label 'blue half: computing binds' at screen 0.74,0.867857 left noenhanced textcolor rgb '#0072B2'
set label 'disc: GPU, adjusted to the kernel' at screen 0.74,0.846429 left noenhanced textcolor rgb '#404040'
set label 'square: attained, on the line' at screen 0.74,0.825 left noenhanced textcolor rgb '#404040'
set label 'cross: measured' at screen 0.74,0.803571 left noenhanced textcolor rgb '#404040'
set label 'triangle: predicted by calibrated' at screen 0.74,0.782143 left noenhanced textcolor rgb '#404040'
set label 'ring: datasheet; small: the steps' at screen 0.74,0.760714 left noenhanced textcolor rgb '#404040'
set label 'GeForce GTX 660 5.171 ms compute' at screen 0.74,0.728571 left noenhanced textcolor rgb '#0072B2'
plot 'quadrant_steps.csv' using (strcol(1) eq 'kernel' ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead linewidth 2 linecolor rgb '#404040' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'datasheet' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors head size screen 0.006,20 linewidth 1 dashtype 3 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'sustained' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'after_mix' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'datasheet' && $2 == 0 ? $3 : NaN):4 with points pointtype 6 pointsize 1.4 linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'sustained' && $2 == 0 ? $3 : NaN):4 with points pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'after_mix' && $2 == 0 ? $3 : NaN):4 with points pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'attained' && $2 == 0 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'quadrant_steps.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#0072B2' notitle
