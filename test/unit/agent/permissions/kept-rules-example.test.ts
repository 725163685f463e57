// The example of docs/permissions.md over answers as the kit gives them.
import { expect, it } from 'vitest';
import { keepAllowed } from '../../../../docs/examples/kept-rules.ts';
import type { CanUseTool } from '../../../../src/core/permissions/permission.ts';

it('docs/examples/kept-rules.ts keeps what was allowed for good, and passes every answer on', async () => {
  const rules = [{ toolName: 'Forecast' }, { toolName: 'Edit', ruleContent: 'src/**' }];
  const update = { type: 'addRules', rules, destination: 'session' } as const;
  const answers = [
    { behavior: 'allow', updatedPermissions: [{ ...update, behavior: 'allow' }] },
    { behavior: 'allow', updatedPermissions: [{ ...update, behavior: 'deny' }] },
    {
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    },
    { behavior: 'allow' },
    { behavior: 'deny', message: 'No.' },
    null,
  ] as const satisfies Awaited<ReturnType<CanUseTool>>[];
  const kept: string[] = [];
  for (const answer of answers) {
    const ask = keepAllowed(
      async () => answer,
      (rule) => kept.push(rule),
    );
    expect(await ask('Forecast', {}, {} as Parameters<CanUseTool>[2])).toBe(answer);
  }
  expect(kept).toEqual(['Forecast', 'Edit(src/**)']);
});
