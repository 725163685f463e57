// The theme: light, dark, or the system's.
import { readSetting, writeSetting } from '../settings.ts';

export type Theme = 'system' | 'light' | 'dark';

export function readTheme(): Theme {
  const stored = readSetting('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  writeSetting('theme', theme === 'system' ? undefined : theme);
}
