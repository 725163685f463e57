import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { themeColors } from '../../../../src/core/tool/theme.ts';

it('each colour that a tool may name is a token of the views', () => {
  const css = readFileSync(new URL('../../../../src/react/kit/theme.css', import.meta.url), 'utf8');
  const missing = themeColors.filter((name) => !css.includes(`--rp-${name}:`));
  expect(missing).toEqual([]);
});
