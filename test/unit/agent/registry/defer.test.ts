// Which tools are deferred, and when.
import { describe, expect, it } from 'vitest';
import {
  estimateToolTokens,
  isDeferredTool,
  toThreshold,
  toToolSearchMode,
} from '../../../../src/agent/registry/defer.ts';
import type { ToolSearchOption } from '../../../../src/agent/registry/defer.ts';
import type { ToolSwitches } from '../../../../src/agent/registry/tool-gates.ts';
import { plainTool } from '../../../support/stages/test-tools.ts';

describe('isDeferredTool', () => {
  it.each<[string, Parameters<typeof plainTool>[0], ToolSwitches, boolean]>([
    ['a tool that says nothing', {}, {}, false],
    ['one that asks for it', { shouldDefer: true }, {}, true],
    ['a remote one', { isMcp: true }, {}, true],
    ['a remote one that must be loaded', { isMcp: true, alwaysLoad: true }, {}, false],
    ['one that says both', { shouldDefer: true, alwaysLoad: true }, {}, false],
    ['ToolSearch itself', { name: 'ToolSearch', shouldDefer: true }, {}, false],
    ['a remote one named ToolSearch', { name: 'ToolSearch', isMcp: true }, {}, true],
    ['SendUserMessage', { name: 'SendUserMessage', shouldDefer: true }, { brief: true }, true],
    [
      'SendUserMessage, proactive',
      { name: 'SendUserMessage', shouldDefer: true },
      { proactive: true },
      false,
    ],
    [
      'SendUserFile without a way to the user',
      { name: 'SendUserFile', shouldDefer: true },
      { proactive: true },
      true,
    ],
    [
      'SendUserFile with one',
      { name: 'SendUserFile', shouldDefer: true },
      { proactive: true, userFileBridge: true },
      false,
    ],
  ])('%s', (_what, changes, switches, isDeferred) => {
    expect(isDeferredTool(plainTool(changes), switches)).toBe(isDeferred);
  });
});

describe('toToolSearchMode', () => {
  const standard = { type: 'standard' };
  it.each<[ToolSearchOption | undefined, unknown]>([
    [undefined, { type: 'tst' }],
    [true, { type: 'tst' }],
    ['tst', { type: 'tst' }],
    ['auto:0', { type: 'tst' }],
    ['auto', { type: 'tst-auto', percent: 10 }],
    ['tst-auto', { type: 'tst-auto', percent: 10 }],
    ['auto:1', { type: 'tst-auto', percent: 1 }],
    ['auto:99', { type: 'tst-auto', percent: 99 }],
    ['auto:100', standard],
    [false, standard],
    ['standard', standard],
  ])('%j', (option, mode) => {
    expect(toToolSearchMode(option)).toEqual(mode);
    expect(toToolSearchMode(option, false)).toEqual(standard);
  });

  it.each(['auto:101', 'auto:-1', 'auto:', 'auto:1.5', 'on', '', 7, null])(
    'refuses %j',
    (option) => {
      expect(() => toToolSearchMode(option as ToolSearchOption)).toThrow(
        expect.objectContaining({ code: 'bad-usage', data: { toolSearch: option } }),
      );
    },
  );
});

describe('the threshold of auto', () => {
  it('is a part of the window, rounded down, in tokens of four bytes', () => {
    expect(toThreshold(200_000, 10)).toBe(20_000);
    expect(toThreshold(999, 10)).toBe(99);
    // "é" is two bytes; with its quotes four.
    expect(estimateToolTokens(['é', 'é'])).toBe(2);
  });
});
