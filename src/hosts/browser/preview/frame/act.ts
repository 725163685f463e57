// Does what the model asks for: finds the element or the place, and hands it to the pointer, the keys, or what scrolls.
import type { PreviewTarget } from '../../../../core/host-ports/preview.ts';
import type { DialogAnswers } from './dialogs.ts';
import { type, upload } from './input/fields.ts';
import { findFocusedWithin } from './input/focus.ts';
import { press } from './input/keys.ts';
import { click, drag, moveTo, type Place } from './input/pointer.ts';
import type { FrameAction } from './messages.ts';
import type { ColorScheme } from './screen/color-scheme.ts';
import { scroll } from './screen/scroll.ts';
import { comeToSize, findAt, isWithin, middleOf } from './screen/view.ts';
import type { PageTree } from './tree.ts';
import { wait } from './wait.ts';

/** @throws Error whose message tells the model what to do instead. */
export async function act(
  action: FrameAction,
  tree: PageTree,
  dialogs: DialogAnswers,
  colors: ColorScheme,
): Promise<void> {
  switch (action.type) {
    case 'click':
      click(findPlace(tree, action), action);
      return;
    case 'hover':
      moveTo(findPlace(tree, action));
      return;
    case 'drag': {
      const { from, to } = action;
      const start = findPlace(tree, from);
      refuseSlider(start.over, from);
      await drag(start, () => findPlace(tree, to, false));
      return;
    }
    case 'type':
      type(findEnabled(tree, action.ref), action.ref, action.text);
      return;
    case 'upload': {
      const element = findElement(tree, action.ref);
      upload(element, action.ref, action.files);
      return;
    }
    case 'press': {
      const { ref, key, time } = action;
      const target = ref === undefined ? findFocusedWithin() : findEnabled(tree, ref);
      await press(target ?? document.body, key, time);
      return;
    }
    case 'scroll': {
      const { ref, direction } = action;
      const element = ref === undefined ? undefined : findShown(tree, ref);
      if (direction) scroll(action, { ...(element && { element }) });
      else element?.scrollIntoView(centered);
      return;
    }
    case 'wait':
      await wait(action, tree);
      return;
    case 'dialog':
      dialogs.set(action);
      return;
    case 'resize':
      await comeToSize(action.width, action.height);
      return;
    case 'emulate':
      colors.set(action.colorScheme);
      return;
    case 'screenshot':
    case 'read':
    case 'find':
  }
}

const centered = { block: 'center', inline: 'center', behavior: 'instant' } as const;

export function findElement(tree: PageTree, ref: string): Element {
  const element = tree.find(ref);
  if (element) return element;
  throw new Error(`There is no element ${ref} any more. Read the page, and take a ref of that.`);
}

/** What a person sees stays where it is. */
function findShown(tree: PageTree, ref: string): Element {
  const element = findElement(tree, ref);
  const over = findAt(...middleOf(element));
  if (!over || !isOver(over, element)) element.scrollIntoView(centered);
  return element;
}

function findEnabled(tree: PageTree, ref: string): Element {
  const element = findShown(tree, ref);
  if (element.matches(':disabled')) throw new Error(`The element ${ref} is disabled.`);
  return element;
}

/** Where the pointer has to be. An end of a way is also where something covers it, as what is dragged does. */
function findPlace(tree: PageTree, { ref, coordinate }: PreviewTarget, isFree = true): Place {
  if (coordinate) {
    const [x, y] = coordinate;
    const over = findAt(x, y);
    if (over) return { over, x, y };
    throw new Error(
      `The place ${x}, ${y} isn't on the screen, which has ${window.innerWidth} × ${window.innerHeight} pixels.`,
    );
  }
  const name = ref ?? '';
  const element = isFree ? findEnabled(tree, name) : findShown(tree, name);
  // An option has no box of its own where its list is closed.
  const box =
    element instanceof HTMLOptionElement ? (element.closest('select') ?? element) : element;
  const [x, y] = middleOf(box);
  const over = findAt(x, y);
  if (!over)
    throw new Error(`The element ${name} stands outside of what is to be seen of the page.`);
  if (isFree && !isOver(over, box)) {
    throw new Error(
      `The element ${name} is covered by <${over.localName} class=${JSON.stringify(over.getAttribute('class') ?? '')}>: a person couldn't click it.`,
    );
  }
  if (element !== box) return { over: element, x, y };
  return { over: isWithin(over, element) || !isFree ? over : element, x, y };
}

/** True if a click there is one on the element. */
function isOver(over: Element, element: Element): boolean {
  return isWithin(over, element) || isWithin(element, over) || isLabelOf(over, element);
}

function isLabelOf(over: Element, element: Element): boolean {
  const labels = 'labels' in element ? (element.labels as NodeListOf<HTMLElement> | null) : null;
  return [...(labels ?? [])].some((label) => label.contains(over));
}

function refuseSlider(over: Element, { ref }: PreviewTarget): void {
  if (!(over instanceof HTMLInputElement) || over.type !== 'range') return;
  throw new Error(
    `${ref === undefined ? 'That' : `The element ${ref}`} is a slider of the browser's own, which only a person can drag. Type its value, or press arrow keys on it.`,
  );
}
