// What the model does in a previewed page as a person would: by the pointer, by keys, with fields and files.
import { describe, expect, it } from 'vitest';
import { server } from 'vitest/browser';
import type { PreviewAction } from '../../../src/core/host-ports/preview.ts';
import { openPreview, refOf } from '../../support/browser/preview-page.ts';

/** A page with these elements, whose code logs what it is told. */
async function drive(html: string, code = '') {
  const { open, preview } = await openPreview({
    'index.html': `<!doctype html><style>body { margin: 0 }</style>${html}<script>
      const log = (...values) => console.log(...values);
      const get = (selector) => document.querySelector(selector);
      const hear = (element, names, tell = ({ type }) => log(type)) => {
        for (const name of names.split(' ')) element.addEventListener(name, tell);
      };
      ${code}</script>`,
  });
  const page = await open();
  const act = (action: PreviewAction) => preview.act(action);
  const heard = async () => (await preview.readConsole()).messages.map(({ text }) => text);
  await heard();
  const refused = (action: PreviewAction) =>
    preview.act(action).then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    );
  return { page, preview, act, heard, refused, ref: (text: string) => refOf(page, text) };
}

describe('the pointer in a preview', () => {
  it('hovers as a mouse does, also for style sheets', async () => {
    const { act, heard, ref } = await drive(
      `<style>ul { display: none } nav:hover ul { display: block } @media (hover) { button:not(:hover) b { display: none } }</style>
       <p style="height: 50px">No pointer is here</p><nav tabindex="0">Menu<ul><li><a href="#one">One</a></ul></nav><button>Other <b>more</b></button>`,
      `hear(get('nav'), 'pointerenter mouseenter mouseleave mousemove');
       get('a').addEventListener('click', () => log('clicked'));`,
    );
    const menu = await act({ type: 'hover', ref: ref('navigation') });
    expect(menu.tree).toContain('link "One"');
    expect(await heard()).toEqual(['pointerenter', 'mouseenter', 'mousemove']);
    const clicked = await act({ type: 'click', ref: refOf(menu, 'link "One"') });
    expect(clicked.tree).toContain('link "One"');
    expect(await heard()).toEqual(['mousemove', 'clicked']);
    const other = await act({ type: 'hover', ref: ref('Other') });
    expect(other.tree).not.toContain('link "One"');
    expect(other.tree).toContain('button "Other more"');
    expect(await heard()).toEqual(['mouseleave']);
  });

  it('clicks a place, twice, by another button, and with keys', async () => {
    const { act, heard, refused } = await drive(
      '<canvas width="200" height="100"></canvas>',
      `hear(get('canvas'), 'mousedown click dblclick contextmenu auxclick', (event) => {
         const { type, offsetX, offsetY, button, detail, ctrlKey, shiftKey } = event;
         log(type, offsetX, offsetY, button, detail, ctrlKey, shiftKey);
       });
       get('canvas').addEventListener('pointerdown', ({ target, pointerId }) => {
         target.setPointerCapture(pointerId);
         log('captured', target.hasPointerCapture(pointerId));
       });`,
    );
    await act({ type: 'click', coordinate: [30, 40], modifiers: ['Control', 'Shift'] });
    expect(await heard()).toEqual([
      'captured true',
      'mousedown 30 40 0 1 true true',
      'click 30 40 0 1 true true',
    ]);
    await act({ type: 'click', coordinate: [1, 2], doubleClick: true });
    expect((await heard()).filter((text) => !text.startsWith('captured'))).toEqual([
      ...['mousedown 1 2 0 1 false false', 'click 1 2 0 1 false false'],
      ...['mousedown 1 2 0 2 false false', 'click 1 2 0 2 false false'],
      'dblclick 1 2 0 2 false false',
    ]);
    await act({ type: 'click', coordinate: [1, 2], button: 'right' });
    expect((await heard()).slice(1)).toEqual([
      ...['mousedown 1 2 2 1 false false', 'contextmenu 1 2 2 1 false false'],
      'auxclick 1 2 2 1 false false',
    ]);
    expect(await refused({ type: 'click', coordinate: [700, 10] })).toBe(
      "The place 700, 10 isn't on the screen, which has 600 × 400 pixels.",
    );
  });

  it('drags by pointer events, and by those of HTML', async () => {
    const { act, heard, ref, refused } = await drive(
      `<style>div { position: absolute; width: 40px; height: 40px }</style>
       <div id="pin" tabindex="0" style="left: 10px; top: 10px">Pin</div>
       <div id="card" draggable="true" tabindex="0" style="left: 10px; top: 100px">Card</div>
       <div id="list" tabindex="0" style="left: 300px; top: 100px">List</div>
       <input type="range" aria-label="Size" style="position: absolute; top: 200px">`,
      `const pin = get('#pin');
       pin.addEventListener('pointerdown', ({ pointerId }) => pin.setPointerCapture(pointerId));
       pin.addEventListener('pointermove', (event) => {
         if (!pin.hasPointerCapture(event.pointerId)) return;
         pin.style.left = event.clientX - 20 + 'px';
         pin.style.top = event.clientY - 20 + 'px';
       });
       hear(pin, 'pointerup lostpointercapture', ({ type, buttons }) => log(type, pin.style.left, pin.style.top, buttons));
       const card = get('#card'), list = get('#list');
       card.addEventListener('dragstart', ({ dataTransfer }) => dataTransfer.setData('text/plain', 'card'));
       hear(list, 'dragenter drop', (event) => log(event.type, event.dataTransfer.getData('text/plain')));
       list.addEventListener('dragover', (event) => event.preventDefault());
       hear(card, 'dragend mouseup');`,
    );
    await act({ type: 'drag', from: { ref: ref('Pin') }, to: { coordinate: [200, 60] } });
    expect(await heard()).toEqual(['pointerup 180px 40px 0', 'lostpointercapture 180px 40px 0']);
    await act({ type: 'drag', from: { ref: ref('Card') }, to: { ref: ref('List') } });
    expect(await heard()).toEqual(['dragenter card', 'drop card', 'dragend']);
    expect(
      await refused({ type: 'drag', from: { ref: ref('Size') }, to: { coordinate: [9, 9] } }),
    ).toBe(
      `The element ${ref('Size')} is a slider of the browser's own, which only a person can drag. Type its value, or press arrow keys on it.`,
    );
  });

  it('chooses options, and clicks what is drawn in SVG', async () => {
    const { act, heard, ref, page } = await drive(
      `<select aria-label="Size"><option>Small</option><option>Large</option></select>
       <select aria-label="Days" multiple><option selected>Mo</option><option>Tu</option><option>We</option></select>
       <svg width="100" height="50"><g style="cursor: pointer"><title>May: 5</title><rect width="50" height="50"/></g><text x="60" y="20">EUR</text></svg>`,
      `hear(document, 'change', ({ target }) => log([...target.selectedOptions].map(({ value }) => value).join()));
       get('g').addEventListener('click', () => log('May'));`,
    );
    expect(page.tree).toMatch(/- img\n {2}- clickable "May: 5" \[ref=e\d+\]\n {2}- text: EUR$/);
    await act({ type: 'click', ref: ref('"Large"') });
    await act({ type: 'click', ref: ref('May') });
    expect(await heard()).toEqual(['Large', 'May']);
    // WebKit chooses by the place of the pointer as well.
    if (server.browser === 'webkit') return;
    await act({ type: 'click', ref: ref('"We"') });
    await act({ type: 'click', ref: ref('"Tu"'), modifiers: ['Control'] });
    expect(await heard()).toEqual(['We', 'Tu,We']);
  });
});

describe('keys in a preview', () => {
  it('have the names, codes and partners of a keyboard', async () => {
    const { act, heard, refused } = await drive(
      '<p tabindex="0">Here</p>',
      `hear(document, 'keydown keyup', ({ type, key, code, keyCode, ctrlKey, shiftKey, repeat }) =>
         log(type, JSON.stringify(key), code, keyCode, ctrlKey, shiftKey, repeat));`,
    );
    await act({ type: 'press', key: 'ctrl+Shift+k' });
    expect(await heard()).toEqual([
      'keydown "Control" ControlLeft 17 true false false',
      'keydown "Shift" ShiftLeft 16 true true false',
      'keydown "K" KeyK 75 true true false',
      'keyup "K" KeyK 75 true true false',
      'keyup "Shift" ShiftLeft 16 true false false',
      'keyup "Control" ControlLeft 17 false false false',
    ]);
    for (const key of ['Space', '+', 'F5']) await act({ type: 'press', key });
    expect((await heard()).filter((text) => text.startsWith('keydown'))).toEqual([
      'keydown " " Space 32 false false false',
      'keydown "+" Equal 187 false false false',
      'keydown "F5" F5 116 false false false',
    ]);
    await act({ type: 'press', key: 'a', time: 0.09 });
    expect(await heard()).toEqual([
      'keydown "a" KeyA 65 false false false',
      ...Array.from({ length: 3 }, () => 'keydown "a" KeyA 65 false false true'),
      'keyup "a" KeyA 65 false false false',
    ]);
    expect(await refused({ type: 'press', key: 'Hyper+x' })).toBe(
      'There is no key "Hyper+x". Name one as Enter, ArrowDown, a or F2 are, also with others: Control+a.',
    );
  });

  it('write, choose, move the focus and close dialogs, as by a browser', async () => {
    const { act, heard, ref } = await drive(
      `<input aria-label="Name" value="Ann"><textarea aria-label="Text">one</textarea>
       <input type="radio" name="r" aria-label="First" checked><input type="radio" name="r" aria-label="Second">
       <input type="range" aria-label="Loud" value="50"><dialog><button>Inside</button></dialog>
       <button onclick="get('dialog').showModal()">Show</button>`,
      "hear(get('dialog'), 'cancel close');",
    );
    const name = ref('"Name"');
    await act({ type: 'press', ref: name, key: 'Control+a' });
    expect((await act({ type: 'press', key: 'B' })).tree).toContain('"Name" [value="B"]');
    await act({ type: 'press', key: 'b' });
    await act({ type: 'press', key: 'ArrowLeft' });
    expect((await act({ type: 'press', key: 'Backspace' })).tree).toContain('"Name" [value="b"]');
    expect((await act({ type: 'press', key: 'Tab' })).tree).toContain('[value="one"] [focused]');
    expect((await act({ type: 'press', key: 'Shift+Tab' })).tree).toContain('"b"] [focused]');
    const radio = await act({ type: 'press', ref: ref('First'), key: 'ArrowDown' });
    expect(radio.tree).toContain('"Second" [checked] [focused]');
    const loud = await act({ type: 'press', ref: ref('Loud'), key: 'ArrowRight' });
    expect(loud.tree).toContain('"Loud" [value="51"]');
    expect((await act({ type: 'click', ref: ref('Show') })).tree).toContain('dialog');
    expect((await act({ type: 'press', key: 'Escape' })).tree).not.toContain('dialog');
    // WebKit tells some events by itself, too.
    expect([...new Set(await heard())]).toEqual(['cancel', 'close']);
  });

  it('scroll the page, and write into an editor by its events', async () => {
    const { act, heard, ref } = await drive(
      '<div contenteditable="true" aria-label="Editor"><p>old</p></div><p style="height: 2000px">',
      `const editor = get('[contenteditable]');
       editor.addEventListener('beforeinput', (event) => {
         log(event.inputType, event.data);
         if (event.data === 'no') event.preventDefault();
       });`,
    );
    expect((await act({ type: 'press', key: 'PageDown' })).view?.above).toBe(350);
    expect((await act({ type: 'press', key: 'Home' })).view?.above).toBe(0);
    const typed = await act({ type: 'type', ref: ref('Editor'), text: 'new' });
    expect(typed.tree).toMatch(
      /textbox "Editor" (?:\[focused\] )?\[ref=e1\](?:\n {2}- paragraph)?: new/,
    );
    const refused = await act({ type: 'type', ref: ref('Editor'), text: 'no' });
    expect(refused.tree).toContain(': new');
    expect([...new Set(await heard())]).toEqual(['insertText new', 'insertText no']);
  });
});

describe('what else the model does in a preview', () => {
  it('gives files to a field, or drops them', async () => {
    const { act, heard, ref, refused } = await drive(
      `<label tabindex="0">Photo<input type="file" hidden></label><div id="zone" tabindex="0">Drop here</div><p tabindex="0">Plain</p><output></output>`,
      `const tell = async (files) => {
         for (const file of [...files]) {
           log(file.name, file.type, await file.text());
           get('output').append(file.name, ' was read. ');
         }
       };
       get('input').addEventListener('change', ({ target }) => tell(target.files));
       const zone = get('#zone');
       zone.addEventListener('dragover', (event) => event.preventDefault());
       zone.addEventListener('drop', (event) => tell(event.dataTransfer.files));`,
    );
    const file = (name: string) => ({ name, bytes: new TextEncoder().encode(name.slice(0, 1)) });
    await act({ type: 'upload', ref: ref('Photo'), files: [file('a.json')] });
    await act({ type: 'wait', text: 'a.json was read' });
    await act({ type: 'upload', ref: ref('Drop'), files: [file('b.png'), file('c')] });
    await act({ type: 'wait', text: 'c was read' });
    expect(await heard()).toEqual([
      'a.json application/json a',
      'b.png image/png b',
      'c application/octet-stream c',
    ]);
    const two = [file('a'), file('b')];
    expect(await refused({ type: 'upload', ref: ref('Photo'), files: two })).toBe(
      `The element ${ref('Photo')} takes one file, and 2 were given.`,
    );
    expect(await refused({ type: 'upload', ref: ref('Plain'), files: two })).toBe(
      `The element ${ref('Plain')} takes no files: it is no field of files, and nothing can be dropped on it.`,
    );
  });

  it('waits for a text that comes, and for one that goes', async () => {
    const { act, ref, refused } = await drive(
      '<p>Loading</p><button>Go</button>',
      `get('button').onclick = () => setTimeout(() => (get('p').textContent = 'Ready "now"'), 250);`,
    );
    await act({ type: 'click', ref: ref('Go') });
    expect((await act({ type: 'wait', text: 'ready "Now"' })).tree).toContain('Ready');
    expect((await act({ type: 'wait', textGone: 'Loading' })).tree).toContain('Ready');
    expect(await refused({ type: 'wait', text: 'Never', time: 0.1 })).toBe(
      `"Never" isn't on the page, after 0.1 s. Read the page and its console.`,
    );
  });

  it('finds what has a text, on a page that is too long for a list', async () => {
    const { act } = await drive(
      `${'<p>Filler of the page</p>'.repeat(600)}<p>${'word '.repeat(100)} Needle</p><button>The needle</button>`,
    );
    const { tree } = await act({ type: 'find', text: 'needle' });
    expect(tree).toMatch(/^- paragraph: (?:word ){100}Needle\n- button "The needle" \[ref=e1\]$/);
    expect((await act({ type: 'click', ref: 'e1' })).view?.below).toBeGreaterThanOrEqual(0);
    expect((await act({ type: 'find', text: 'nothing' })).tree).toBe(
      '- (Nothing on the page has the text "nothing".)',
    );
  });

  it('answers the dialogs of the browser', async () => {
    const { act, heard, ref } = await drive(
      `<button onclick="log(confirm('Sure?'), prompt('Name?', 'Ann'), alert('Done'))">Ask</button>`,
    );
    const click = () => act({ type: 'click', ref: ref('Ask') });
    await click();
    const why = "a preview has no dialogs of the browser's own.";
    const howTo = `and asked nobody: ${why} Say by dialog how they answer.`;
    expect(await heard()).toEqual([
      `confirm("Sure?") returned false, ${howTo}`,
      `prompt("Name?") returned null, ${howTo}`,
      `alert("Done") showed nothing: ${why}`,
      'false null undefined',
    ]);
    await act({ type: 'dialog', accept: true });
    await click();
    await act({ type: 'dialog', accept: true, text: 'Bob' });
    await click();
    expect((await heard()).filter((text) => text.endsWith(' undefined'))).toEqual([
      'true Ann undefined',
      'true Bob undefined',
    ]);
  });

  it('reads what an app logs, as a console shows it', async () => {
    const { act, heard, ref } = await drive(
      '<button>Log</button>',
      `get('button').onclick = () => {
         const round = { map: new Map([['a', 1]]), list: [undefined, NaN] };
         round.self = round;
         log('%s has %d%%, %cstyled', 'It', 5.5, 'color: red', 'and more');
         log(round, new Set([1]), { error: new TypeError('inside') });
         console.assert(1 === 2, 'not equal');
         console.table([{ a: 1 }]);
         console.count('times');
         console.error(new Error('outer', { cause: new Error('inner') }));
       };`,
    );
    await act({ type: 'click', ref: ref('Log') });
    const messages = await heard();
    expect(messages.slice(0, -1)).toEqual([
      'It has 5%, styled and more',
      '{"map":{"Map":[["a",1]]},"list":["undefined","NaN"],"self":"[circular]"} {"Set":[1]} {"error":"TypeError: inside"}',
      'Assertion failed: not equal',
      '[{"a":1}]',
      'times: 1',
    ]);
    expect(messages.at(-1)).toMatch(/^Error: outer\n(?: +at .*\n)* {2}because of Error: inner/);
  });

  it('takes a picture of one element', async () => {
    const { preview, ref, refused } = await drive(
      '<p style="height: 900px"></p><canvas tabindex="0" width="120" height="60" aria-label="Chart"></canvas><p style="height: 900px">',
      "const context = get('canvas').getContext('2d'); context.fillStyle = 'red'; context.fillRect(0, 0, 120, 60);",
    );
    const picture = await preview.screenshot({ ref: ref('Chart') });
    expect(picture).toMatchObject({ width: 120, height: 60 });
    expect(picture.rest).toEqual({ above: 0, below: 0, left: 0, right: 0 });
    const bitmap = await createImageBitmap(new Blob([picture.png]));
    const context = new OffscreenCanvas(120, 60).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const corners = [context?.getImageData(1, 1, 1, 1), context?.getImageData(118, 58, 1, 1)];
    expect(corners.map((one) => [...(one?.data ?? [])])).toEqual([
      [255, 0, 0, 255],
      [255, 0, 0, 255],
    ]);
    await expect(preview.screenshot({ ref: 'e9' })).rejects.toMatchObject({
      message: 'There is no element e9 any more. Read the page, and take a ref of that.',
    });
    expect(await refused({ type: 'read' })).toBe('done');
  });
});
