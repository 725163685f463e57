// The model's pointer: synthetic events in the order of a browser's own. A browser does nothing by itself for most of
// them, so focus, options and dragging are done here.
import type { PreviewAction, PreviewModifier } from '../../../../../core/host-ports/preview.ts';
import { nextFrame } from '../screen/next-frame.ts';
import { findAt, isWithin, parentOf } from '../screen/view.ts';
import { chooseOption } from './fields.ts';
import { giveFocusAt } from './focus.ts';
import { styleHover } from './hover-styles.ts';

/** What is under a place of the screen. */
export interface Place {
  readonly over: Element;
  readonly x: number;
  readonly y: number;
}

type Click = Extract<PreviewAction, { type: 'click' }>;

/** Where the pointer is. */
let pointed: Element | undefined;
/** What gets all its events, because the app asked for them. */
let captured: Element | undefined;

// 1: the mouse's, in Chromium.
const pointerId = 1;
const bits = { left: 1, middle: 4, right: 2 } as const;
const numbers = { left: 0, middle: 1, right: 2 } as const;
type Button = keyof typeof bits;

interface Held {
  readonly modifiers?: readonly PreviewModifier[] | undefined;
  /** The button that the event is about, and whether it is down. */
  readonly button?: Button | undefined;
  readonly isDown?: boolean;
  readonly detail?: number;
}

function toInit({ x, y }: Place, { modifiers = [], button, isDown = false, detail = 0 }: Held) {
  return {
    ...{ bubbles: true, cancelable: true, composed: true, view: window, detail },
    ...{ clientX: x, clientY: y, screenX: x, screenY: y },
    ...{
      button: button === undefined ? 0 : numbers[button],
      buttons: isDown && button ? bits[button] : 0,
    },
    ...{ ctrlKey: modifiers.includes('Control'), shiftKey: modifiers.includes('Shift') },
    ...{ altKey: modifiers.includes('Alt'), metaKey: modifiers.includes('Meta') },
  };
}

/** Sends the pointer's event and the mouse's. Returns false if the app prevented the mouse's default. */
function send(target: Element, name: 'down' | 'move' | 'up', place: Place, held: Held): boolean {
  const init = toInit(place, held);
  // A move is about no button.
  const pointer = { ...init, pointerId, pointerType: 'mouse', isPrimary: true, detail: 0 };
  const moved = name === 'move' ? { ...pointer, button: -1 } : pointer;
  target.dispatchEvent(new PointerEvent(`pointer${name}`, moved));
  return target.dispatchEvent(new MouseEvent(`mouse${name}`, init));
}

/** Tells what the pointer leaves and comes to, and moves it. */
export function moveTo(place: Place, held: Held = {}): void {
  const from = pointed?.isConnected ? pointed : undefined;
  const { over } = place;
  if (from !== over) {
    if (from) cross(from, over, place, held, 'out', 'leave');
    pointed = over;
    styleHover(over);
    cross(over, from ?? null, place, held, 'over', 'enter');
  }
  send(captured ?? over, 'move', place, held);
}

/** `leave` and `enter` don't bubble: each element that the pointer leaves or comes to gets one. */
function cross(
  element: Element,
  relatedTarget: Element | null,
  place: Place,
  held: Held,
  bubbling: string,
  single: string,
): void {
  const init = { ...toInit(place, held), relatedTarget };
  const pointer = { ...init, pointerId, pointerType: 'mouse', isPrimary: true };
  const alone = { bubbles: false, cancelable: false };
  const path: Element[] = [];
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (!relatedTarget || !isWithin(relatedTarget, at)) path.push(at);
  }
  if (single === 'enter') path.reverse();
  for (const [kind, Kind, all] of [
    ['pointer', PointerEvent, pointer],
    ['mouse', MouseEvent, init],
  ] as const) {
    element.dispatchEvent(new Kind(`${kind}${bubbling}`, all));
    for (const one of path) one.dispatchEvent(new Kind(`${kind}${single}`, { ...all, ...alone }));
  }
}

/** @throws Error for an option that isn't there to be chosen */
export function click(
  place: Place,
  { button = 'left', doubleClick = false, modifiers }: Click,
): void {
  moveTo(place, { modifiers });
  const { over } = place;
  for (let detail = 1; detail <= (doubleClick ? 2 : 1); detail += 1) {
    const held = { button, modifiers, detail };
    captureDuring(() => {
      if (send(over, 'down', place, { ...held, isDown: true })) giveFocusAt(over);
      if (button === 'right') {
        over.dispatchEvent(new PointerEvent('contextmenu', toInit(place, held)));
      }
      send(captured ?? over, 'up', place, held);
    });
    // An app may have taken it away.
    if (!over.isConnected) return;
    const init = { ...toInit(place, held), pointerId, pointerType: 'mouse' };
    over.dispatchEvent(new PointerEvent(button === 'left' ? 'click' : 'auxclick', init));
    if (over instanceof HTMLOptionElement && button === 'left') {
      chooseOption(
        over,
        (modifiers ?? []).some((name) => name === 'Control' || name === 'Meta'),
      );
    }
  }
  if (doubleClick && button === 'left') {
    over.dispatchEvent(new MouseEvent('dblclick', toInit(place, { button, modifiers, detail: 2 })));
  }
}

// 10: enough for an app that wants to see a way, not just its ends.
const steps = 10;

/** `toEnd`: what is at the end of the way then, which may have moved. */
export async function drag(start: Place, toEnd: () => Place): Promise<void> {
  moveTo(start);
  const restore = captureByHand();
  try {
    const held = { button: 'left', isDown: true, detail: 1 } as const;
    const isKept = send(start.over, 'down', start, held);
    if (isKept) giveFocusAt(start.over);
    const source = isKept ? findDraggable(start.over) : undefined;
    const data = new DataTransfer();
    const isNative = source?.dispatchEvent(
      new DragEvent('dragstart', { ...toInit(start, held), dataTransfer: data }),
    );
    if (source && isNative) await dragNatively(source, data, start, toEnd);
    else await dragByPointer(start, toEnd);
  } finally {
    restore();
  }
}

async function dragByPointer(start: Place, toEnd: () => Place): Promise<void> {
  const held = { button: 'left', isDown: true } as const;
  let last = start;
  for (const place of alongWay(start, toEnd())) {
    moveTo(place, held);
    last = place;
    await nextFrame();
  }
  const end = toEnd();
  if (end.x !== last.x || end.y !== last.y) moveTo(end, held);
  send(captured ?? end.over, 'up', end, { button: 'left', detail: 1 });
  if (end.over === start.over && end.over.isConnected) {
    end.over.dispatchEvent(
      new PointerEvent('click', { ...toInit(end, { button: 'left', detail: 1 }), pointerId }),
    );
  }
}

/** Drags by the events of HTML, as where an element is `draggable`. */
async function dragNatively(
  source: Element,
  dataTransfer: DataTransfer,
  start: Place,
  toEnd: () => Place,
): Promise<void> {
  const tell = (target: Element, name: string, place: Place) =>
    target.dispatchEvent(new DragEvent(name, { ...toInit(place, { isDown: true }), dataTransfer }));
  source.dispatchEvent(new PointerEvent('pointercancel', { bubbles: true, pointerId }));
  let over: Element | undefined;
  let isTaken = false;
  const come = (place: Place) => {
    tell(source, 'drag', place);
    const before = over;
    over = place.over;
    if (over !== before) {
      tell(over, 'dragenter', place);
      if (before?.isConnected) tell(before, 'dragleave', place);
    }
    isTaken = !tell(over, 'dragover', place);
  };
  for (const place of alongWay(start, toEnd())) {
    come(place);
    await nextFrame();
  }
  const end = toEnd();
  come(end);
  tell(end.over, isTaken ? 'drop' : 'dragleave', end);
  if (source.isConnected) tell(source, 'dragend', end);
}

function* alongWay(start: Place, end: Place): Generator<Place> {
  for (let step = 1; step <= steps; step += 1) {
    const x = start.x + ((end.x - start.x) * step) / steps;
    const y = start.y + ((end.y - start.y) * step) / steps;
    yield { x, y, over: findAt(x, y) ?? document.documentElement };
  }
}

function findDraggable(element: Element): Element | undefined {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (at instanceof HTMLElement && at.draggable) return at;
  }
  return undefined;
}

function captureDuring(work: () => void): void {
  const restore = captureByHand();
  try {
    work();
  } finally {
    restore();
  }
}

/**
 * Browsers capture only a pointer that a person has. Else `setPointerCapture` throws, or takes the person's own mouse.
 * The returned function ends that.
 */
function captureByHand(): () => void {
  const own = Object.getOwnPropertyDescriptors(Element.prototype);
  const tell = (element: Element, name: string) =>
    element.dispatchEvent(new PointerEvent(name, { bubbles: true, composed: true, pointerId }));
  const release = () => {
    const before = captured;
    captured = undefined;
    if (before) tell(before, 'lostpointercapture');
  };
  const take = (element: Element) => {
    captured = element;
    tell(element, 'gotpointercapture');
  };
  const set = (name: string, value: unknown) =>
    Object.defineProperty(Element.prototype, name, { value, writable: true, configurable: true });
  set('setPointerCapture', function (this: Element, id: number) {
    if (id !== pointerId) {
      own.setPointerCapture.value?.call(this, id);
      return;
    }
    take(this);
  });
  set('hasPointerCapture', function (this: Element, id: number) {
    return id === pointerId ? captured === this : own.hasPointerCapture.value?.call(this, id);
  });
  set('releasePointerCapture', function (this: Element, id: number) {
    if (id !== pointerId) own.releasePointerCapture.value?.call(this, id);
    else if (captured === this) release();
  });
  return () => {
    release();
    for (const name of [
      'setPointerCapture',
      'hasPointerCapture',
      'releasePointerCapture',
    ] as const) {
      Object.defineProperty(Element.prototype, name, own[name]);
    }
  };
}
