// The answer, and the totals as a picture.

function fillAnswer(section) {
  const { sentence, details, best, measured_s: measured } = report.answer;
  const heading = section.querySelector('h1');
  const name = best === null ? null : gpuName(best);
  const at = name === null ? -1 : sentence.indexOf(name);
  if (at >= 0) heading.replaceChildren(sentence.slice(0, at), h('strong', {}, name), sentence.slice(at + name.length));
  const counted = { measured: 'counters measured on', simulated: 'counted by simulating', derived: 'counters derived for' }[report.counters_are] ?? 'counters of';
  document.getElementById('eyebrow').textContent =
    `${clipped(report.answer.title, 120)} · ${report.kernels_in_profile} ${report.kernels_in_profile === 1 ? 'kernel' : 'kernels'} · ${counted} ${report.gpu} · model ${models[0].name}`;
  if (details.length) section.append(h('ul', { class: 'details' }, details.map((text) => h('li', {}, text))));
  if (best === null) return;

  const mix = report.comparison.names.length > 1;
  if (mix) {
    section.append(h('dl', { class: 'tiles' }, mixTiles(best)), totalsChart());
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
    tiles.push(tile('Confidence in first place', chance < 0.8 ? 'Too close to call' : chance < 0.95 ? 'Likely' : 'Clear', `${Math.round(100 * chance)} % against ${gpuName(nearest)}`));
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
    value('probability_fastest') === null ? null : tile('Chance to be the fastest', forPeople(value('probability_fastest'), 'fraction'), 'of all GPUs compared')].filter(Boolean);
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
    id: 'times', level: 2, controls: [modelChooser('times-model')].filter(Boolean), title: report.comparison && report.comparison.names.length > 1 ? `Predicted time of ${clipped(report.comparison.names[0], 60)} on each GPU` : 'Predicted time on each GPU', data,
    about: 'All launches of all kernels; dots are the predictions, bars their 80 % intervals, fastest on top. GPUs are switched on and off in the table of GPUs below.',
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
