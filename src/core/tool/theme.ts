// The colours that a tool may name. react/kit/theme.css defines them, light and dark.

/** Each is the token `--rp-<name>` of rockpool/react.css. */
export const themeColors = ['sunken', 'accent-soft', 'warning-soft', 'danger-soft'] as const;

/** The colours by name. */
export type Theme = Readonly<Record<(typeof themeColors)[number], string>>;
