/** Something that a test waits for. `Promise.withResolvers` isn't in the language level of the tests. */
export function createMoment(): { readonly come: Promise<void>; readonly arrive: () => void } {
  let arrive = () => {};
  const come = new Promise<void>((resolve) => (arrive = resolve));
  return { come, arrive: () => arrive() };
}
