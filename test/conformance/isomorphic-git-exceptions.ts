// Which of isomorphic-git's own tests don't apply to the workspace's files, and why. A test is named by its file,
// without `test-`, `.js` and `-in-submodule`, and the beginning of its title.

/** Tests that aren't judged. */
export interface Exception {
  readonly why: string;
  readonly tests: readonly (readonly [file: string, title: string])[];
}

export const exceptions: readonly Exception[] = [
  {
    why: 'they reach servers on the internet, or a proxy to them',
    tests: [
      ['checkout', 'should setup the remote tracking branch'],
      ['checkout', 'should not setup the remote tracking branch'],
      ['clone-checkout-huge-repo', ''],
      ['clone', 'clone with noTags'],
      ['clone', 'clone with noCheckout'],
      ['clone', 'clone a tag'],
      ['clone', 'should set up the remote tracking branch by default'],
      ['clone', 'should allow agent to be used'],
      ['fetch', 'fetch (from Github)'],
      ['fetch', 'shallow fetch'],
      ['fetch', 'errors if missing refspec'],
      ['hosting-providers', ''],
    ],
  },
  {
    why: "they write to Node's disk themselves",
    tests: [
      ['server-only.checkout-symlink-leading-path', ''],
      ['server-only.cherryPick-symlink-leading-path', ''],
    ],
  },
  {
    why: 'they sign, by a plugin that is not installed',
    tests: [
      ['annotatedTag', 'creates a signed tag'],
      ['commit', 'create signed commit'],
      ['log', 'has correct payloads and gpgsig'],
    ],
  },
  {
    why: 'they replace a module by means that only jest has, and use no files',
    tests: [['server-only.httpClient', 'passes fetchOptions through to simple-get']],
  },
];
