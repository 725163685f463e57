// The field that chooses light or dark. The choice is stored.
import { useState } from 'react';
import { applyTheme, readTheme } from './theme.ts';
import type { Theme } from './theme.ts';

export function ThemeSelect() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <select
      className="theme-select"
      aria-label="Colours"
      value={theme}
      onChange={(event) => {
        const next = event.target.value as Theme;
        setTheme(next);
        applyTheme(next);
      }}
    >
      <option value="system">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
