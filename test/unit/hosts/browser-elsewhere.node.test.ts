// A framework renders a component on its server first: what the page's host says there.
import { describe, expect, it } from 'vitest';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';

describe('createBrowserHost where there is no page', () => {
  it('says that there is none, and what to do', async () => {
    await expect(createBrowserHost({ workspace: 'on-a-server' })).rejects.toMatchObject({
      code: 'unsupported-environment',
      message:
        'createBrowserHost runs in a page, and there is none here: this is a server or a worker. Call it in the page alone, ' +
        'in an effect of a component, say. On a server use createInlineHost of rockpool/inline.',
    });
  });
});
