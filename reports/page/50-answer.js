// The answer, and the totals as a picture.

function fillAnswer(section) {
  const { sentence, details, best, measured_s: measured } = page.answer;
  const heading = section.querySelector('h1');
  const name = best === null ? null : gpuName(best);
  const at = name === null ? -1 : sentence.indexOf(name);
  if (at >= 0) heading.replaceChildren(sentence.slice(0, at), h('strong', {}, name), sentence.slice(at + name.length));
  const counted = { measured: 'counters measured on', simulated: 'counted by simulating', derived: 'counters derived for' }[report.counters_are] ?? 'counters of';
  const inAll = programs.reduce((sum, one) => sum + one.given.kernels_in_profile, 0);
  document.getElementById('eyebrow').textContent = isMix ? `${clipped(page.answer.title, 120)} · ${programs.length} programs · ${inFull(inAll)} kernels · model ${page.comparison ? page.comparison.model : models[0].name}` :
    `${clipped(report.answer.title, 120)} · ${report.kernels_in_profile} ${report.kernels_in_profile === 1 ? 'kernel' : 'kernels'} · ${counted} ${report.gpu} · model ${models[0].name}`;
  if (details.length) section.append(h('ul', { class: 'details' }, details.map((text) => h('li', {}, text))));
  if (best === null) return;

  if (isMix) {
    section.append(h('dl', { class: 'tiles' }, mixTiles(best)), mixChart());
    return;
  }
  const of = total(best, 0);
  const order = fastestFirst(0);
  const tiles = [tile(targetCount > 1 ? 'Fastest GPU' : 'GPU', name, `rates ${targets.rates.get(best) ?? 'unknown'}`), tile('Predicted time', forPeople(of.duration, 's'), 'all launches of all kernels')];
  if (of.low !== null) tiles.push(tile('80 % interval', `${forPeople(of.low, 's', 3)} – ${forPeople(of.high, 's', 3)}`, '8 of 10 such predictions lie inside'));
  if (measured !== null && measured !== undefined && name !== report.gpu) {
    tiles.push(tile(`Against ${report.gpu}, measured`, measured >= of.duration ? `${(measured / of.duration).toFixed(2)} × as fast` : `${(of.duration / measured).toFixed(2)} × as long`, forPeople(measured, 's')));
  }
  const rivals = order.slice(1).filter((target) => report.answer.chance && report.answer.chance[target] !== null);
  if (rivals.length) {
    const nearest = rivals.reduce((a, b) => (report.answer.chance[b] < report.answer.chance[a] ? b : a));
    const chance = report.answer.chance[nearest];
    tiles.push(tile('Confidence in first place', chance < 0.8 ? 'Too close to call' : chance < 0.95 ? 'Likely' : 'Clear', `${chance > 0.99 ? 'over 99' : Math.round(100 * chance)} % against ${gpuName(nearest)}`));
  }
  if (of.covered < 1) tiles.push(tile('Of the workload predicted', forPeople(of.covered, 'fraction'), `${of.refused} kernels are not`));
  section.append(h('dl', { class: 'tiles' }, tiles));
  section.append(totalsChart());
}

const tile = (what, value, more = null) => h('div', { class: 'tile' }, h('dt', {}, what), h('dd', {}, value, more ? h('small', {}, more) : null));

/// Of several programs, each as often as its weight says.
function mixTiles(best) {
  const { target, names, owned } = report.comparison;
  const of = columnsOf(report.comparison.ranking);
  const row = target.indexOf(best);
  const value = (key) => of[key].get(row);
  return [tile('Fastest GPU', gpuName(best), `rates ${value('rates') || 'unknown'}`), tile('Predicted time of a mix', forPeople(value('duration_s'), 's'), `${names.length} programs, by their weights`),
    value('low_s') === null ? null : tile('80 % interval', `${forPeople(value('low_s'), 's', 3)} – ${forPeople(value('high_s'), 's', 3)}`, '8 of 10 such predictions lie inside'),
    value('speed_up') === null || row === owned ? null : tile(`Against ${of.gpu.get(owned)}`, `${value('speed_up').toFixed(2)} × as fast`),
    value('probability_fastest') === null ? null : tile('Chance to be the fastest', value('probability_fastest') > 0.99 ? 'over 99 %' : forPeople(value('probability_fastest'), 'fraction'), 'of all GPUs that are not ruled out')].filter(Boolean);
}

/// The time of a mix on each GPU, divided by its programs.
function mixChart() {
  const given = page.comparison;
  const of = columnsOf(given.ranking);
  const parts = columnsOf(given.programs);
  const count = of.gpu.rows;
  const part = (program, row) => parts.duration_s.get(program * count + row);
  const rows = () => [...Array(count).keys()].filter((row) => of.duration_s.get(row) !== null && (given.target[row] === null || state.shown.has(given.target[row])))
    .sort((a, b) => of.duration_s.get(a) - of.duration_s.get(b));
  const most = 6;  // programs with a colour of their own
  const groups = programs.length <= most + 1 ? programs.map((one, program) => [one.name, [program]])
    : [...programs.slice(0, most).map((one, program) => [one.name, [program]]), [`${programs.length - most} other programs`, [...programs.keys()].slice(most)]];
  const time = (members, row) => members.reduce((sum, program) => sum + (part(program, row) ?? 0), 0);
  const shapes = ['', '/', '\\', 'x', '.', '|', '-'];
  const figure = makeChart({
    id: 'mix-times', level: 2, title: 'Predicted time of a mix on each GPU',
    about: 'Every program as often as its weight says; the bar\'s parts are the programs, the line over its end the 80 % interval of the whole.',
    data() {
      const all = rows();
      const column = (key, heading, unit, get) => ({ key, heading, unit, get: (row) => get(all[row]) });
      return { rows: all.length, columns: [column('gpu', 'GPU', '', of.gpu.get), column('duration_s', 'time of a mix', 's', of.duration_s.get), column('low_s', '80 % from', 's', of.low_s.get), column('high_s', 'to', 's', of.high_s.get),
        ...programs.map((one, program) => column(`program_${program + 1}_s`, one.name, 's', (row) => part(program, row)))] };
    },
    picture(width) {
      const all = rows();
      if (all.length === 0) return { empty: 'No GPU is switched on.' };
      const small = width < 560;
      const longest = Math.max(...all.map((row) => of.high_s.get(row) ?? of.duration_s.get(row)));
      const traces = groups.map(([name, members], place) => ({
        type: 'bar', orientation: 'h', name: clipped(name, small ? 24 : 40), x: all.map((row) => time(members, row)), y: all.map((_, at) => at), width: 0.62, hoverinfo: 'text', textposition: 'none',
        text: all.map((row) => hover(of.gpu.get(row), name, `${forPeople(time(members, row), 's')}, ${forPeople(time(members, row) / of.duration_s.get(row), 'fraction')} of ${forPeople(of.duration_s.get(row), 's')}`)),
        marker: { color: colourOf(place), pattern: { shape: shapes[place], fillmode: 'overlay', fgcolor: 'rgba(255,255,255,.65)', size: 6, solidity: 0.25 }, line: { width: 1, color: css('--card') } },
      }));
      traces.push({ type: 'scatter', mode: 'markers', name: '80 % interval', showlegend: false, x: all.map(of.duration_s.get), y: all.map((_, at) => at), hoverinfo: 'text', customdata: all.map((row) => (given.target[row] === null ? {} : { target: given.target[row] })),
        text: all.map((row) => hover(of.gpu.get(row), forPeople(of.duration_s.get(row), 's'), of.low_s.get(row) === null ? null : `80 % from ${forPeople(of.low_s.get(row), 's')} to ${forPeople(of.high_s.get(row), 's')}`)),
        error_x: { type: 'data', symmetric: false, array: all.map((row) => (of.high_s.get(row) ?? of.duration_s.get(row)) - of.duration_s.get(row)), arrayminus: all.map((row) => of.duration_s.get(row) - (of.low_s.get(row) ?? of.duration_s.get(row))), color: css('--ink'), thickness: 2, width: 4 },
        marker: { size: 7, color: css('--ink'), line: { width: 1, color: css('--card') } } });
      const columns = Math.max(1, Math.floor(width / 220));
      const legend = 24 * Math.ceil(groups.length / columns) + 12;
      return {
        traces,
        layout: {
          barmode: 'stack', height: 66 + legend + all.length * 28, margin: { l: small ? 124 : 220, r: 16, t: legend, b: 48 }, showlegend: true, legend: { orientation: 'h', x: small ? -0.4 : 0, y: 1, yanchor: 'bottom', traceorder: 'normal', itemclick: false, itemdoubleclick: false, font: { size: small ? 11 : 12.5 } },
          xaxis: { range: [0, longest * 1.04], title: 'predicted time of a mix', ...linearTicks(longest, 's', Math.max(3, Math.floor((width - (small ? 140 : 240)) / 90))) },
          yaxis: { range: [all.length - 0.4, -0.6], tickmode: 'array', tickvals: all.map((_, at) => at), ticktext: all.map((row) => plotText(fitted(of.gpu.get(row), small ? 112 : 205))), ticks: '', showgrid: false, zeroline: false },
        },
      };
    },
  });
  whenChanged((changes) => { if ('shown' in changes) figure.chart.refresh(); });
  return figure;
}

function totalsChart() {
  const rows = () => shownTargets().filter((target) => total(target).duration !== null);
  const data = () => {
    const shown = rows();
    const of = shown.map((target) => total(target));
    const column = (key, heading, unit, get) => ({ key, heading, unit, get: (row) => get(of[row], shown[row]) });
    return { rows: shown.length, columns: [column('gpu', 'GPU', '', (_, target) => gpuName(target)), column('model', 'model', '', () => models[state.model].name),
      column('duration_s', 'time', 's', (one) => one.duration), column('low_s', '80 % from', 's', (one) => one.low), column('high_s', 'to', 's', (one) => one.high)] };
  };
  const figure = makeChart({
    id: 'times', level: isMix ? 3 : 2, controls: [modelChooser('times-model')].filter(Boolean), title: isMix ? `Predicted time of ${clipped(programs[state.program].name, 60)} on each GPU` : 'Predicted time on each GPU', data,
    about: 'All launches of all kernels; dots are the predictions, bars their 80 % intervals, fastest on top. GPUs are switched on and off in the table of GPUs.',
    picture(width) {
      const shown = rows();
      if (shown.length === 0) return { empty: 'No GPU is switched on.' };
      const of = shown.map((target) => total(target));
      const small = width < 560;
      const labels = shown.map((target) => fitted(gpuName(target), small ? 112 : 205));
      const low = Math.min(...of.map((one) => one.low ?? one.duration)), high = Math.max(...of.map((one) => one.high ?? one.duration));
      const log = high / low > 8;
      const measured = report.answer.measured_s ?? null;
      const least = Math.min(low, measured ?? low) / (log ? 1.15 : 1), most = Math.max(high, measured ?? high) * (log ? 1.15 : 1.04);
      const traces = shown.map((target, place) => ({
        type: 'scatter', mode: 'markers', x: [of[place].duration], y: [place], customdata: [{ target, model: state.model }], hoverinfo: 'text',
        text: [hover(gpuName(target), `time ${forPeople(of[place].duration, 's')}`, of[place].low === null ? null : `80 % from ${forPeople(of[place].low, 's')} to ${forPeople(of[place].high, 's')}`, of[place].refused ? `${of[place].refused} kernels not predicted` : null)],
        error_x: of[place].low === null ? undefined : { type: 'data', symmetric: false, array: [of[place].high - of[place].duration], arrayminus: [of[place].duration - of[place].low], color: colourOf(target), thickness: 3, width: 0 },
        marker: { size: 12, color: colourOf(target), symbol: symbolOf(target), line: { width: 1.5, color: css('--card') } },
      }));
      const shapes = measured === null ? [] : [{ type: 'line', x0: measured, x1: measured, y0: 0, y1: 1, yref: 'paper', line: { color: css('--soft'), width: 1.5, dash: 'dash' } }];
      const span = width - (small ? 140 : 240);
      const ticks = log ? logTicks(least, most, 's', Math.max(3, Math.floor(span / 75))) : linearTicks(most, 's', Math.max(3, Math.floor(span / 90)));
      return {
        traces, said: measured === null ? '' : `Dashed: ${forPeople(measured, 's')}, measured on ${report.gpu}.`,
        layout: {
          height: 62 + shown.length * 30, margin: { l: small ? 124 : 220, r: 16, t: 8, b: 48 }, shapes,
          xaxis: { type: log ? 'log' : 'linear', range: log ? [Math.log10(least), Math.log10(most)] : [0, most], title: log ? 'predicted time, logarithmic' : 'predicted time', ...ticks },
          yaxis: { range: [shown.length - 0.4, -0.6], tickmode: 'array', tickvals: shown.map((_, place) => place), ticktext: labels.map(plotText), showgrid: false, ticks: '', zeroline: false },
        },
      };
    },
  });
  whenChanged((changes) => { if ('shown' in changes || 'model' in changes) figure.chart.refresh(); });
  return figure;
}
