// Light and dark: the system's choice until the reader makes one.

const theme = {
  chosen: null,
  paper: false,  // while printing everything is light, whatever the system does meanwhile
  redraw: () => {},  // what follows the colours by itself
  system: matchMedia('(prefers-color-scheme: dark)'),
  now() { return this.paper ? 'light' : this.chosen ?? (this.system.matches ? 'dark' : 'light'); },
  apply() {
    const name = this.now();
    document.documentElement.dataset.theme = name;
    document.getElementById('theme').setAttribute('aria-pressed', String(name === 'dark'));
    this.redraw();
  },
};
document.getElementById('theme').addEventListener('click', () => { theme.chosen = theme.now() === 'dark' ? 'light' : 'dark'; theme.apply(); });
theme.system.addEventListener('change', () => theme.apply());
theme.apply();
