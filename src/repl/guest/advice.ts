// Adds advice to error messages about features that no sandbox has. Packages report such errors in
// their own words.

const advices: readonly (readonly [failure: RegExp, advice: string])[] = [
  [
    /\bWebAssembly is not defined|\bno native wasm support/,
    'There is no WebAssembly in this sandbox: use a build of the package in JavaScript alone, or another package (of msw version 2, of nock 14).',
  ],
  [
    /^too many captures$/,
    'An expression has 254 groups at most here: write groups whose text is not read as (?:…).',
  ],
  [
    // The platform name in `process`. No package has native binaries for it.
    /\brockpool\b[\s",:_-]+(?:[a-z]+[\s",:_-]+)?wasm\b|\bplatform=rockpool\b|\.node'|\bnative binding\b|\bbindings file\b/,
    'Native code runs in no sandbox: use a package that is written in JavaScript, and runTests() for tests.',
  ],
  [
    /^__(?:dirname|filename) is not defined$/,
    'Only CommonJS has it: use import.meta.dirname or import.meta.filename. In a cell they tell the working directory.',
  ],
  [
    /^Atomics is not defined$/,
    'There is one thread here: await a timer to wait, and keep data in an ArrayBuffer.',
  ],
  [
    /^Worker is not defined$/,
    'There is one thread here: compute in the cell, or run it in the background.',
  ],
  [/^XMLHttpRequest is not defined$/, 'Use fetch.'],
  [
    /^URLPattern is not defined$/,
    "Match the parts of a URL by regular expressions, or by a package of the project's such as path-to-regexp.",
  ],
  [
    /^(?:document|window|localStorage|HTMLElement) is not defined$/,
    "There is no DOM in a cell. A test file has one with // @vitest-environment happy-dom in its first comment, where the project's node_modules has happy-dom or jsdom.",
  ],
];

/** Returns an error's message, with advice appended if there is any. */
export function withAdvice(message: string): string {
  const advice = advices.find(([failure]) => failure.test(message))?.[1];
  return advice === undefined
    ? message
    : message.trimEnd().replace(/([^.!?])$/, '$1.') + ' ' + advice;
}
