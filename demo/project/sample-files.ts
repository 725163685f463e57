// The sample project's files as text, in a chunk of their own: loaded when the sample first opens.

const files = import.meta.glob<string>('../sample/**/*', {
  query: '?raw',
  import: 'default',
  eager: true,
  // Files that begin with a dot, too.
  exhaustive: true,
});

export function readSampleFiles(): { readonly path: string; readonly bytes: Uint8Array }[] {
  const encoder = new TextEncoder();
  return Object.entries(files).map(([path, text]) => ({
    path: path.replace('../sample/', ''),
    bytes: encoder.encode(text),
  }));
}
