# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1000,520 font 'Helvetica,12' background '#FFFFFF'
set output 'figure_5_11.svg'
set datafile separator comma
set datafile columnheaders
set style data histogram
set style histogram clustered gap 1.5
set style fill solid 0.9 border rgb '#FFFFFF'
set grid ytics linecolor rgb '#E0E0E0'
set xzeroaxis linetype -1
set xtics nomirror rotate by 30 right noenhanced scale 0
set ytics nomirror
set yrange [0:*]
set title 'Mean absolute error over six GPUs of the Rodinia kernels that the text names, as printed' noenhanced
set ylabel 'mean absolute error, %' noenhanced
set key off noenhanced
plot 'figure_5_11.csv' using 2:xtic(1) linecolor rgb '#0072B2' title 'printed'
