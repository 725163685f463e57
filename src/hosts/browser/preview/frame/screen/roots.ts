// The document and its open shadow roots, each with sheets of its own.

export function listRoots(): readonly (Document | ShadowRoot)[] {
  const roots: (Document | ShadowRoot)[] = [document];
  // What is found is looked through in turn.
  for (const root of roots) {
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
  }
  return roots;
}
