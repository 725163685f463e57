// The headers of a page that is cross-origin isolated. Its clocks tick every 5 µs instead of every
// 100, and its memory can be measured. Nothing else that is measured makes use of the isolation.

export const isolatingHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const;
