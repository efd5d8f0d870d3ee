type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/**
 * Creates an HTML element with attributes and children. An attribute that is a function becomes a listener (`onclick`), and true
 * an attribute without a value; null, undefined and false are skipped.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** Creates an SVG element, with attributes and children as in `el`. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** Creates a closed block whose content is built when the reader first opens it. */
export function lazyDetails(summary: Child, build: () => Node, attributes: Attributes = {}): HTMLDetailsElement {
  const details = el('details', attributes, el('summary', {}, summary));
  let built = false;
  const fill = () => {
    if (built || !details.open) return;
    built = true;
    details.append(build());
  };
  details.addEventListener('toggle', fill);
  queueMicrotask(fill); // fills a block that is open from the beginning, before its `toggle` event
  return details;
}

/** Creates a section of the page with a heading. The page's table of contents lists it. */
export const section = (id: string, title: string, ...children: Child[]): HTMLElement =>
  el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...children);
