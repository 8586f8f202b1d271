// Charts: drawn by Plotly when they come into view, each with its data as a table and a file. A chart gives a table
// {columns:[{key, heading, unit, get(row)}], rows} and a picture {traces, layout, labels} of the same values.

const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c8c8c'];  // Okabe & Ito, grey for black
const symbols = ['circle', 'square', 'diamond', 'triangle-up', 'cross', 'star', 'hexagon', 'triangle-down'];
/// Colour and shape of the place-th thing of its kind: 56 that differ, neighbours in both.
const colourOf = (place) => palette[place % palette.length];
const symbolOf = (place) => symbols[place % symbols.length];

const limiterLook = {  // colour, pattern: the same in every chart
  compute: ['#0072b2', ''], memory: ['#e69f00', '/'], fp32: ['#0072b2', ''], fp64: ['#56b4e9', '\\'], fp16: ['#56b4e9', 'x'],
  int: ['#009e73', '\\'], sfu: ['#009e73', '.'], tensor: ['#009e73', ''], issue: ['#8c8c8c', '\\'], ldst: ['#cc79a7', ''],
  shared: ['#cc79a7', '/'], l1: ['#e69f00', 'x'], l2: ['#e69f00', '.'], dram: ['#e69f00', '/'], latency: ['#d55e00', '-'], launch: ['#d55e00', '|'],
};
const limiterMeaning = {
  compute: 'arithmetic', memory: 'DRAM bandwidth', fp32: 'fp32 arithmetic', fp64: 'fp64 arithmetic', fp16: 'fp16 arithmetic',
  int: 'integer arithmetic', sfu: 'special functions', tensor: 'tensor units', issue: 'instruction issue', ldst: 'loads and stores',
  shared: 'shared memory', l1: 'L1 cache', l2: 'L2 cache', dram: 'DRAM bandwidth', latency: 'latency: too few warps', launch: 'launch overhead',
};
const limiterText = (limiter) => (limiter === null ? '' : limiter in limiterMeaning && limiterMeaning[limiter] !== limiter ? `${limiter} (${limiterMeaning[limiter]})` : limiter);

/// Plotly reads a few HTML tags and entities in texts.
const plotText = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const hover = (...lines) => lines.filter((line) => line !== null).map(plotText).join('<br>');

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const charts = [];
let paperWidth = null;  // while printing
const hasPlotly = () => typeof Plotly !== 'undefined';

/// Ticks at whole decades, at 1, 2, 5 of each where there is room; texts as people read them.
function logTicks(low, high, unit, most = 8) {
  const ticks = [];
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const span = Math.log10(high / low);
  const steps = span * 3 <= most ? [1, 2, 5] : [1];
  const skip = Math.max(1, Math.ceil(span * steps.length / most));
  for (let decade = first; decade <= last; ++decade) {
    if (steps.length === 1 && (decade - first) % skip !== 0) continue;
    for (const step of steps) {
      const value = step * 10 ** decade;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  return { tickmode: 'array', tickvals: ticks, ticktext: ticks.map((value) => tickText(value, unit)) };
}
function linearTicks(high, unit, most = 6) {
  if (!(high > 0)) return {};
  const raw = high / most;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * decade).find((one) => one >= raw * 0.999);
  const ticks = [];
  for (let at = 0; at * step <= high * 1.0001; ++at) ticks.push(at * step);
  return { tickmode: 'array', tickvals: ticks, ticktext: ticks.map((value) => tickText(value, unit)) };
}
const tickText = (value, unit) => {
  const text = forPeople(value, unit);
  return text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
};

/// chart({id, title, about, data(), picture(width), height(), controls}): a figure with its tools.
function makeChart({ id, title, about, data, picture, controls = [], level = 3 }) {
  const plot = h('div', { class: 'plot', id: `${id}-plot`, role: 'img', 'aria-label': `Chart: ${title}. Its data is in the table below it.` });
  const note = h('p', { class: 'note' });
  const save = (format) => h('button', { type: 'button', 'data-export': format, onclick: () => saveImage(format) }, format.toUpperCase());
  const tools = h('div', { class: 'exports' }, h('button', { type: 'button', 'data-export': 'csv', onclick: saveCsv }, 'CSV'), save('svg'), save('png'));
  const box = h('details', {}, h('summary', {}, 'Data of this chart'));
  const figure = h('figure', { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'figure-head' },
      h('div', {}, h(`h${level}`, { id: `${id}-title` }, title), h('figcaption', {}, about)), tools),
    controls.length ? h('div', { class: 'controls' }, controls) : null, plot, note, box);

  let table = null;
  box.addEventListener('toggle', () => { if (box.open) showTable(); });
  function showTable() {
    const given = data();
    table = makeTable({ id: `${id}-data`, caption: `Data of the chart ${title}`, columns: given.columns, rows: () => [...Array(given.rows).keys()] });
    box.replaceChildren(box.firstChild, table.element);
  }
  function saveCsv() {
    const given = data();
    const rows = [...Array(given.rows).keys()].map((row) => given.columns.map((column) => column.get(row)));
    download(fileName(id, 'csv'), toCsv(given.columns.map((column) => column.key), rows), 'text/csv;charset=utf-8');
  }
  async function saveImage(format) {
    await draw();
    const size = plot._fullLayout;
    const url = await Plotly.toImage(plot, { format, width: size.width, height: size.height, scale: format === 'png' ? 2 : 1 });
    if (format === 'png') download(fileName(id, 'png'), url);
    else download(fileName(id, 'svg'), decodeURIComponent(url.slice(url.indexOf(',') + 1)), 'image/svg+xml');
  }

  let inView = false;
  let stale = true;
  let latest = null;  // of several drawings under way only the last counts
  function draw() {
    const mine = { };
    latest = mine;
    mine.done = drawn(() => latest !== mine);
    return mine.done;
  }
  async function drawn(overtaken) {
    const width = paperWidth ?? figure.clientWidth;
    if (!hasPlotly() || !(width > 0)) return null;
    stale = false;
    const { traces, layout, labels = [], legend = [], empty = '', said = '' } = picture(width);
    note.replaceChildren(...(empty ? [] : legend.map(([colour, text]) => h('span', { class: 'key' }, swatchOf(colour), text))), empty || said);
    plot.hidden = Boolean(empty);
    tools.hidden = box.hidden = Boolean(empty);
    if (empty) return null;
    await Plotly.react(plot, traces, dressed(layout, width), { displayModeBar: false, responsive: false, doubleClick: 'reset', scrollZoom: false });
    if (overtaken()) return latest.done;
    await placeLabels(plot, labels);
    if (overtaken()) return latest.done;
    plot.dataset.drawn = 'yes';
    if (!plot.dataset.listens) {
      plot.dataset.listens = 'yes';
      plot.on('plotly_click', (event) => {
        const picked = event.points[0] && event.points[0].customdata;
        if (picked && picked.kernel !== undefined && picked.kernel !== null) selectKernel(picked.kernel);
        else if (picked && picked.target !== undefined) change({ target: picked.target });
      });
    }
    if (box.open) showTable();
    return null;
  }
  const chart = {
    figure, draw,
    refresh() {
      stale = true;
      delete plot.dataset.drawn;
      if ((inView || paperWidth !== null) && hasPlotly()) draw();
      else if (box.open) showTable();
    },
    seen(now) { inView = now; if (now && stale) draw(); },
    drawn: () => !stale,
  };
  figure.chart = chart;
  if (!hasPlotlyLater()) {  // the data takes the place of the picture
    plot.hidden = true;
    tools.querySelectorAll('[data-export=svg], [data-export=png]').forEach((one) => one.remove());
    note.textContent = 'This gpuproj was built without Plotly: the data of the chart is shown as a table.';
    box.open = true;
  }
  charts.push(chart);
  return figure;
}
/// Whether the page has Plotly, whose script stands behind this one.
function hasPlotlyLater() {
  return document.body.dataset.charts !== 'no';
}

function swatchOf(colour) {
  const element = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  element.style.background = colour;
  return element;
}

function dressed(layout, width) {
  const axis = { gridcolor: css('--grid'), linecolor: css('--line'), zerolinecolor: css('--line'), tickcolor: css('--line'), ticks: 'outside', ticklen: 4, fixedrange: true, automargin: false };
  const small = width < 560;
  const title = (one) => (one && one.title ? { title: { text: one.title, standoff: 10, font: { size: small ? 11 : 13 } } } : {});
  return {
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', width, showlegend: false, hovermode: 'closest', dragmode: false,
    font: { family: css('--font').replaceAll('"', "'"), size: small ? 11 : 12.5, color: css('--ink') },
    hoverlabel: { bgcolor: css('--ink'), bordercolor: css('--ink'), font: { color: css('--page'), size: 12.5 }, align: 'left' },
    ...layout,
    xaxis: { ...axis, ...layout.xaxis, ...title(layout.xaxis) },
    yaxis: { ...axis, ...layout.yaxis, ...title(layout.yaxis) },
  };
}

/// Text cut so that it is at most `width` pixels wide as charts write it.
function fitted(text, width, size = innerWidth < 640 ? 11 : 12.5) {
  let length = text.length;
  while (length > 3 && textWidth(clipped(text, length), `${size}px`) > width) --length;
  return clipped(text, length);
}
function textWidth(text, font) {
  const context = textWidth.context ??= document.createElement('canvas').getContext('2d');
  context.font = `${font} ${css('--font').replaceAll('"', "'")}`;
  return context.measureText(text).width;
}

/// Writes each label {x, y, text, colour, places, line} beside its point, or its line, where it covers neither another label nor leaves the
/// picture; those that find no place stay off (their points have tooltips). The first have the first choice.
async function placeLabels(plot, labels) {
  const { xaxis, yaxis, _size: area } = plot._fullLayout;
  const size = plot._fullLayout.font.size - 0.5;
  const taken = [];
  const annotations = [];
  for (const label of labels) {
    const x = xaxis._offset + xaxis.d2p(label.x);
    const y = yaxis._offset + yaxis.d2p(label.y);
    if (!label.line && Number.isFinite(x) && Number.isFinite(y)) taken.push([x - 4, y - 4, x + 4, y + 4]);
  }
  for (const label of labels) {
    const x = xaxis._offset + xaxis.d2p(label.x);
    const y = yaxis._offset + yaxis.d2p(label.y);
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    const width = textWidth(label.text, `${size}px`) * 1.04 + 4;
    const height = size * 1.35;
    const gap = 8;
    const places = (label.places ?? ['right', 'left', 'above', 'below', 'right-up', 'right-down', 'left-up', 'left-down']).map((place) => ({
      right: [gap, -height / 2], left: [-gap - width, -height / 2], above: [-width / 2, -gap - height], below: [-width / 2, gap],
      'right-up': [gap / 2, -gap - height / 2], 'right-down': [gap / 2, gap - height / 4], 'left-up': [-width - gap / 2, -gap - height / 2], 'left-down': [-width - gap / 2, gap - height / 4],
      inside: [-width, -height], over: [0, -height], under: [-width, 1],
    })[place]);
    const found = places.map(([dx, dy]) => [x + dx, y + dy, x + dx + width, y + dy + height]).find((box) =>
      box[0] >= area.l + 1 && box[2] <= area.l + area.w + 1 && box[1] >= area.t - 14 && box[3] <= area.t + area.h &&
      taken.every((other) => box[2] <= other[0] || box[0] >= other[2] || box[3] <= other[1] || box[1] >= other[3]));
    if (!found) continue;
    taken.push(found);
    annotations.push({
      xref: 'paper', yref: 'paper', xanchor: 'left', yanchor: 'top', showarrow: false, borderpad: 0, captureevents: false,
      x: (found[0] + 2 - area.l) / area.w, y: 1 - (found[1] - area.t) / area.h,
      bgcolor: `${css('--card')}a8`, text: plotText(label.text), font: { size, color: label.colour ?? css('--ink') },
    });
  }
  const kept = (plot.layout.annotations ?? []).filter((one) => one.name === 'fixed');
  await Plotly.relayout(plot, { annotations: [...kept, ...annotations] });
}

const watcher = typeof IntersectionObserver === 'undefined' ? null :
  new IntersectionObserver((entries) => entries.forEach((entry) => entry.target.chart.seen(entry.isIntersecting)), { rootMargin: '300px' });
function observeCharts() {
  for (const chart of charts) {
    if (watcher) watcher.observe(chart.figure);
    else chart.seen(true);
  }
}
function forgetCharts() {
  for (const { figure } of charts.splice(0)) {
    if (watcher) watcher.unobserve(figure);
    if (hasPlotly()) Plotly.purge(figure.querySelector('.plot'));
  }
}
function startCharts() {
  observeCharts();
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width || paperWidth !== null) return;
    width = innerWidth;
    charts.forEach((chart) => chart.refresh());
  });
}
