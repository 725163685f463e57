// The description of Repl for the model.

export const replToolName = 'Repl';

export const replDescription =
  'Runs JavaScript or TypeScript in a sandbox over the workspace: a session with persistent variables, files by Node’s fs, and a test runner. It takes the place of a shell.';

/** The usage section, for a model that may also call the tools of these names. */
export function buildReplPrompt(names: readonly string[]): string {
  const cheaper = ['Read', 'Grep', 'Glob', 'Edit'].filter((name) => names.includes(name));
  return `Repl runs a cell of JavaScript or TypeScript. There is no shell here; this is what runs code and tests.
- Variables, functions, classes and imports stay for the next cells, and may be declared again. Top-level await works. The value of the last expression comes back as the result; print more with console.
- Run the project's tests with \`await runTests()\`, or a part of them with a file, a glob or a piece of a path: \`await runTests('src/parse.test.ts')\`. It runs describe/it/expect from vitest, node:test, bun:test, @jest/globals and mocha, prints a report, and returns { passed, failed, skipped, failures }. Failing tests don't fail the cell. Tests that a cell declares itself run when its code is done.
- Files are those of the workspace, by fs, fs/promises and path (import or require, with or without node:). Paths may be relative to the working directory.${cheaper.length > 0 ? ` For single files use ${cheaper.join(', ')}: they are cheaper.` : ''}
- \`tools\` holds the other tools as functions: \`const { filenames } = await tools.Grep({ pattern: 'TODO' })\`. They take the tool's input, give its output as data and need the same permission as your own calls; what is refused rejects with PermissionDenied.${names.includes('ToolSearch') ? searchSentence : ''}
- \`git\` is git on the working directory's repository, each command an async function that gives data: \`await git.status()\`, \`git.diff()\`, \`git.log({ maxCount: 5 })\`, \`git.add('.')\`, \`git.commit({ message })\`, \`git.switch('topic', { create: true })\`, \`git.branch.list()\`; \`git.at('app')\` has them for another directory. A wrong call says what it takes.
- A cell is a transaction. If it throws, is cut by its timeout or runs out of memory, variables and files are as they were before it. What it changed is shown to the user, who may be asked before it is kept.
- import and require load the workspace's files (ES modules, CommonJS, TypeScript, JSX, JSON) and packages that are in its node_modules. Built in are fs, path, assert, url, util, events, os, crypto (with subtle, ciphers and signatures; RSA keys are made asynchronously), buffer, timers, process and the test modules.
- fetch reaches the hosts that the user allows: write the URL's host out in the cell, and the user is asked about it. What is refused rejects with PermissionDenied. There is no npm install, no child process and no native code. Node's streams are there, and servers of http (Express, ws and the like): fetch, WebSocket and supertest reach them at localhost, in this cell and later ones; nobody else does. Tests have vi.mock, fake timers, snapshots, and a DOM where happy-dom or jsdom is installed and the file or its config asks for jsdom or happy-dom.
- With run_in_background a cell runs beside the conversation, for what takes long: on a copy of the session, so its variables don't come back, and on the files as they are when it starts. You get a task id and the file that its output goes to, are told when it ends, and may stop it with TaskStop. What it changed is kept then, if that is allowed and merges with what was changed meanwhile.
- Await what you start: a cell ends when its value has settled.`;
}

const searchSentence =
  ' `Object.keys(tools)` names them, and `await tools.search("select:Read,Edit")` tells what they take; words instead of names find the ones that you have not loaded.';
