// The kit's stylesheet in a page of somebody else: it follows the page's colour scheme, and changes nothing around itself.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAppContext } from '../../../src/react/apps/read-app-context.ts';
import styles from '../../../src/react/react.css?inline';

const made: Element[] = [];
beforeEach(() => void add(`<style>${styles}</style>`));
afterEach(() => {
  for (const element of made.splice(0)) element.remove();
});

function add(html: string): Element {
  const template = document.createElement('template');
  template.innerHTML = html;
  const element = document.importNode(template.content, true).firstElementChild;
  if (!element) throw new Error('The text has no element.');
  made.push(element);
  document.body.append(element);
  return element;
}

const light = 'rgb(29, 31, 33)';
const dark = 'rgb(228, 230, 232)';

/** What a call below such an element looks like, and what an app of a server is told. */
function readBelow(attributes: string) {
  const element = add(`<div ${attributes}><p class="rp-call">Text</p></div>`);
  const call = element.querySelector('p')!;
  return [getComputedStyle(call).color, readAppContext(call, false).theme];
}

describe('the stylesheet of the kit', () => {
  it('leaves the scheme of the page as it is', () => {
    expect(getComputedStyle(document.documentElement).colorScheme).toBe('normal');
  });

  it.each([
    ['', light, 'light'],
    ['style="color-scheme: light"', light, 'light'],
    ['style="color-scheme: dark"', dark, 'dark'],
    ['data-theme="dark"', dark, 'dark'],
    ['data-theme="light" style="color-scheme: light"', light, 'light'],
  ])('is light or dark as the page around it: %s', (attributes, colour, theme) => {
    expect(readBelow(attributes)).toEqual([colour, theme]);
  });
});
