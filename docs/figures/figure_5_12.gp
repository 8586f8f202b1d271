# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1000,520 font 'Helvetica,12' background '#FFFFFF'
set output 'figure_5_12.svg'
set datafile separator comma
set datafile columnheaders
set style data histogram
set style histogram clustered gap 1.5
set style fill solid 0.9 border rgb '#FFFFFF'
set grid ytics linecolor rgb '#E0E0E0'
set xzeroaxis linetype -1
set xtics nomirror rotate by 30 right noenhanced scale 0
set ytics nomirror
set offsets 0, 0, graph 0.05, graph 0.05
set title 'Errors before and after the utilization factor of the GTX 480' noenhanced
set ylabel 'error, %' noenhanced
set key outside bottom center horizontal noenhanced
plot 'figure_5_12.csv' using 2:xtic(1) linecolor rgb '#E69F00' title 'as predicted', 'figure_5_12.csv' using 3:xtic(1) linecolor rgb '#0072B2' title 'times E_util'
