// The sample project's files as text, in a separate chunk that loads when the sample is first opened.

const files = import.meta.glob<string>('../sample/**/*', {
  query: '?raw',
  import: 'default',
  eager: true,
  // Also files that begin with a dot.
  exhaustive: true,
});

export function readSampleFiles(): { readonly path: string; readonly bytes: Uint8Array }[] {
  const encoder = new TextEncoder();
  return Object.entries(files).map(([path, text]) => ({
    path: path.replace('../sample/', ''),
    bytes: encoder.encode(text),
  }));
}
