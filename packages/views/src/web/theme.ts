// Switches the page between the light and the dark theme: the system's choice, unless the reader makes another one.

const KEY = 'bowyer-theme';
const choices = ['auto', 'light', 'dark'] as const;
const listeners = new Set<() => void>();

/** Calls the listener when the theme changes. Charts need this, since colours on a canvas do not change by themselves. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener);
}

/** `rgb(r, g, b)`, or `rgba(…)` with an opacity. */
export function colour(name: string, opacity = 1): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return opacity === 1 ? color : color.replace(/^rgb\((.*)\)$/, `rgba($1, ${opacity})`);
}

/** Returns a button that switches to the next choice: auto, light, dark. */
export function themeButton(): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  let choice = stored();
  const apply = () => {
    document.documentElement.dataset.theme = choice;
    button.textContent = `Theme: ${choice}`;
    for (const listener of listeners) listener();
  };
  button.addEventListener('click', () => {
    choice = choices[(choices.indexOf(choice) + 1) % choices.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // The choice is not kept if there is no storage, as in a page that is opened from a file.
    }
    apply();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  apply();
  return button;
}

function stored(): (typeof choices)[number] {
  try {
    const value = localStorage.getItem(KEY) as (typeof choices)[number];
    return choices.includes(value) ? value : 'auto';
  } catch {
    return 'auto';
  }
}
