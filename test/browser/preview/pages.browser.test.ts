// Links of a previewed page to other pages of the workspace: a person's click leads there, a script's doesn't.
import { expect, it } from 'vitest';
import { page as screen } from 'vitest/browser';
import { openPreview, refOf } from '../../support/browser/preview-page.ts';

const files = {
  'site/index.html': '<a href="blog/first.html?draft=1#end">First</a> <a href="/blog">Blog</a>',
  'site/blog/index.html': '<h1>All</h1>',
  'site/blog/first.html': `<a href="/">Home</a><img src="/logo.png" alt="Logo">
    <div style="height: 3000px"></div><p id="end">End</p>
    <script type="module">const told = location.pathname + location.search + location.hash; addEventListener('load', () => setTimeout(() => { document.title = told + (scrollY > 100 ? ' below' : '') }))</script>`,
  'site/logo.png': new Uint8Array([1]),
};
const start = '/app/site/index.html';

const clickAsPerson = (container: HTMLElement, name: string) => {
  const frame = container.querySelector('iframe');
  if (!frame) throw new Error('No page is open.');
  const inner = screen.frameLocator(screen.elementLocator(frame)).getByTitle(/^Preview of/);
  return screen.frameLocator(inner).getByRole('link', { name }).click();
};

it("opens the page that a person's link names, as from the same server", async () => {
  const { open, preview, container } = await openPreview(files);
  await open(start);
  await clickAsPerson(container, 'First');
  await expect.poll(() => preview.state().path).toBe('/app/site/blog/first.html');
  const first = await preview.act({ type: 'read' });
  expect([first.title, first.path]).toEqual([
    '/blog/first.html?draft=1#end below',
    '/app/site/blog/first.html',
  ]);
  const { messages } = await preview.readConsole();
  expect(messages).toEqual([
    {
      level: 'warn',
      text: "The page was opened with ?draft=1. Modules see that in location.search. Plain scripts don't: a preview has no address of its own.",
    },
  ]);
  await clickAsPerson(container, 'Home');
  await expect.poll(() => preview.state().path).toBe(start);
  await clickAsPerson(container, 'Blog');
  await expect.poll(() => preview.state().path).toBe('/app/site/blog/index.html');
});

it("tells the agent's click which page to open", async () => {
  const { open, preview } = await openPreview(files);
  const page = await open(start);
  const after = await preview.act({ type: 'click', ref: refOf(page, 'First') });
  expect(after).toMatchObject({ path: start, unread: { errors: 1, others: 0 } });
  expect((await preview.readConsole()).messages[0]?.text).toBe(
    "The link to blog/first.html?draft=1#end wasn't followed: a script clicked it. To see that page, open /app/site/blog/first.html.",
  );
});
