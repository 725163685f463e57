// The headers of a cross-origin isolated page. Its clocks have a resolution of 5 µs instead of 100,
// and its memory can be measured. The measured code doesn't use the isolation otherwise.

export const isolatingHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const;
