# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1000,520 font 'Helvetica,12' background '#FFFFFF'
set output 'figure_5_10.svg'
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
set title 'Errors on the GTX 480 without and with the efficiency factors' noenhanced
set ylabel 'error, %' noenhanced
set key outside bottom center horizontal noenhanced
plot 'figure_5_10.csv' using 2:xtic(1) linecolor rgb '#56B4E9' title 'without', 'figure_5_10.csv' using 3:xtic(1) linecolor rgb '#E69F00' title 'with E_mix', 'figure_5_10.csv' using 4:xtic(1) linecolor rgb '#0072B2' title 'with E_mix and E_instr'
