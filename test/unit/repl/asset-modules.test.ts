import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it('runs modules that import style sheets and pictures, as components do', async () => {
  const repl = await openRepl({
    'src/button.ts': `import './button.css'; import styles from './button.module.scss'; import logo, * as all from '../logo.svg';
      export const look = { className: styles.button, logo, all: all.default };`,
    'src/button.css': '.a { color: red }',
    'src/button.module.scss': '.button { .x { color: red } }',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  });
  expect(await repl.value("import { look } from './src/button'; look")).toBe(
    "{ className: undefined, logo: '/work/logo.svg', all: '/work/logo.svg' }",
  );
  expect((await repl.run("import './src/none.css'")).error?.message).toBe(
    "Cannot find module './src/none.css', imported from /work/cell-2:1",
  );
});
