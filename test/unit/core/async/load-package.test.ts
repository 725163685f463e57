// A package that a page without a bundler doesn't have is told in words.
import { describe, expect, it } from 'vitest';
import { loadPackage } from '../../../../src/core/async/load-package.ts';

const wanted = { name: 'semver', what: 'Installing packages by name' };

describe('loadPackage', () => {
  it('gives what was loaded', async () => {
    expect(await loadPackage(wanted, () => Promise.resolve('there'))).toBe('there');
  });

  it('says which package a page lacks, and what to do', async () => {
    const cause = new TypeError('Failed to resolve module specifier "semver".');
    await expect(loadPackage(wanted, () => Promise.reject(cause))).rejects.toMatchObject({
      code: 'unsupported-environment',
      message:
        "Installing packages by name needs the package semver, which couldn't be loaded. A page without a bundler can't " +
        'load it, as it is CommonJS: build the page with one, such as Vite. With a bundler check the network, then try again.',
      data: { package: 'semver' },
      cause,
    });
  });
});
