// Elements without a framework.

type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/**
 * Returns an element with attributes and children. A function is a listener (`onclick`); true sets an attribute without a value;
 * null, undefined and false leave it out.
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

/** Returns the same for a picture's elements. */
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

/** Returns a block that is built when it is opened for the first time. */
export function lazyDetails(summary: Child, build: () => Node, attributes: Attributes = {}): HTMLDetailsElement {
  const details = el('details', attributes, el('summary', {}, summary));
  let built = false;
  const fill = () => {
    if (built || !details.open) return;
    built = true;
    details.append(build());
  };
  details.addEventListener('toggle', fill);
  queueMicrotask(fill); // the element is open already: the `toggle` event would come late
  return details;
}

/** Returns a section of a page with its heading, which the list of contents names. */
export const section = (id: string, title: string, ...children: Child[]): HTMLElement =>
  el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...children);
