// What would lead a previewed page out of its frame: links, forms, and its own code.
import { expect, it } from 'vitest';
import { server } from 'vitest/browser';
import { openPreview, refOf } from '../../support/browser/preview-page.ts';

it('follows links within the page', async () => {
  const { open, preview } = await openPreview({
    'index.html': `<title>start</title><a href="#end">To the end</a> <a href=" #/list ">List</a>
      <div style="height: 3000px"></div><p id="end">End</p>
      <script>addEventListener('hashchange', () => { document.title = location.hash + (scrollY > 100 ? ' below' : '') })</script>`,
  });
  const page = await open();
  const atEnd = await preview.act({ type: 'click', ref: refOf(page, 'To the end') });
  expect(atEnd.title).toBe('#end below');
  const listed = await preview.act({ type: 'click', ref: refOf(page, 'List') });
  expect([listed.title, listed.unread]).toEqual(['#/list', { errors: 0, others: 0 }]);
});

it('stays where a link or a form would lead out of it, and says so', async () => {
  const { open, preview } = await openPreview({
    'index.html': `<a href="about.html"><b>About</b></a> <a href="https://example.test/">Elsewhere</a>
      <a href="none.html">Nowhere</a> <a href="notes.txt">Notes</a>
      <form action="/search"><button>Send</button></form>`,
    'about.html': '<h1>About</h1>',
    'notes.txt': 'Notes',
  });
  const page = await open();
  for (const name of ['About', 'Elsewhere', 'Nowhere', 'Notes', 'Send']) {
    const after = await preview.act({ type: 'click', ref: refOf(page, name) });
    expect(after.tree).toContain('link "About"');
  }
  expect((await preview.readConsole()).messages).toEqual([
    {
      level: 'request',
      text: "The link to about.html wasn't followed: a script clicked it. To see that page, open /app/about.html.",
    },
    {
      level: 'request',
      text: "The link to https://example.test/ wasn't followed: a preview shows pages of the workspace alone.",
    },
    {
      level: 'request',
      text: "The link to none.html wasn't followed: there is no such file in the workspace (404).",
    },
    { level: 'request', text: "The link to notes.txt wasn't followed: it is no HTML file." },
    {
      level: 'request',
      text: "The form wasn't sent to /search: a preview has no server. Handle its submit event, and prevent the default.",
    },
  ]);
});

it('leaves to the app what it handles, and to the browser what stays in the page', async () => {
  const { open, preview } = await openPreview({
    'index.html': `<a href="/settings">Settings</a> <a href="javascript:void 0" onclick="document.title = 'ran'">Run</a>
      <form action="/x"><button>Save</button></form>
      <dialog open><form method="dialog"><button>Close</button></form></dialog>
      <script>
        addEventListener('click', (event) => {
          if (event.target.textContent !== 'Settings') return;
          event.preventDefault(); document.title = 'routed';
        });
        addEventListener('submit', (event) => {
          if (event.target.method === 'dialog') return;
          event.preventDefault(); document.title = 'saved';
        });
      </script>`,
  });
  const page = await open();
  const titles = [];
  for (const name of ['Settings', 'Save', 'Run']) {
    titles.push((await preview.act({ type: 'click', ref: refOf(page, name) })).title);
  }
  expect(titles).toEqual(['routed', 'saved', 'ran']);
  const closed = await preview.act({ type: 'click', ref: refOf(page, 'Close') });
  expect(closed.tree).not.toContain('dialog');
  expect((await preview.readConsole()).messages).toEqual([]);
});

/** WebKit and Firefox refuse them, and the document stays. */
const refusedElsewhere = [
  "location.href = 'about.html'",
  "document.querySelector('form').submit()",
];

it.each([
  'location.reload()',
  "document.write('anew'); document.close()",
  ...(server.browser === 'chromium' ? refusedElsewhere : []),
])('says that the page has left, at once, where its code leads it out: %s', async (code) => {
  // Its deadlines never come.
  const clock = { now: () => 0, after: () => ({ [Symbol.dispose]: () => undefined }) };
  const { open, preview, container } = await openPreview(
    { 'index.html': `<button onclick="${code}">Go</button><form action="/x"></form>` },
    clock,
  );
  const page = await open();
  const gone = {
    code: 'tool-failed',
    message:
      'The page left its document, and a preview has no other for it: its code set location, reloaded, sent a form, wrote the document anew, or stopped the click on a link without preventing its default. Mend that, and open the page again.',
  };
  // Until the browser has begun to leave, the page answers: on a slow machine, more than once.
  const readOn = async (): Promise<never> => {
    for (;;) await preview.act({ type: 'read' });
  };
  await expect(
    preview.act({ type: 'click', ref: refOf(page, 'Go') }).then(readOn),
  ).rejects.toMatchObject(gone);
  expect(container.childElementCount).toBe(0);
});

it("says once of each of the browser's own dialogs that nobody is asked", async () => {
  const { open, preview } = await openPreview({
    'index.html': `<script>
      const given = [confirm('Sure?'), prompt('Name?'), alert(), confirm('Really?')];
      document.title = JSON.stringify(given);
    </script>`,
  });
  expect((await open()).title).toBe('[false,null,null,false]');
  const why = "a preview has no dialogs of the browser's own.";
  const howTo = 'Say by dialog how they answer.';
  expect((await preview.readConsole()).messages).toEqual([
    { level: 'warn', text: `confirm("Sure?") returned false, and asked nobody: ${why} ${howTo}` },
    { level: 'warn', text: `prompt("Name?") returned null, and asked nobody: ${why} ${howTo}` },
    { level: 'warn', text: `alert() showed nothing: ${why}` },
  ]);
});
