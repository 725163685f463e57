// The gallery of the demo has every tool, by calls that are as real ones would be. Its page is tested in test/browser.
import { describe, expect, it } from 'vitest';
import { galleryStates, playCall } from '../../demo/gallery/play-call.ts';
import type { GalleryState } from '../../demo/gallery/play-call.ts';
import { toolExamples } from '../../demo/gallery/tool-examples.ts';
import { callStates } from '../support/stages/call-states.ts';
import { definitions } from '../../src/tools/definitions.ts';

const states = Object.keys(galleryStates) as GalleryState[];

describe('the gallery', () => {
  it('has an example of every built-in tool, and of no other', () => {
    expect(Object.keys(toolExamples)).toEqual(definitions.map(({ name }) => name));
  });

  it('has every state of a call', () => {
    // An answered call looks as one that runs, but for a word.
    const others = callStates.filter((state) => state !== 'approval-responded');
    expect(new Set(Object.values(galleryStates))).toEqual(new Set(others));
  });

  it.each(definitions.map(({ name, load }) => [name, load] as const))(
    'plays calls of %s that it could really have, into each state',
    async (name, load) => {
      const tool = await load();
      const example = toolExamples[name];
      if (!example) throw new Error(`There is no example of ${name}.`);
      for (const one of [example, ...Object.values(example.variants ?? {})]) {
        const { input = example.input, output = example.output } = one;
        const inputSchema = tool.answerSchema ?? tool.inputSchema;
        expect(inputSchema.safeParse(input)).toMatchObject({ success: true });
        expect(tool.outputSchema?.safeParse(output)).toMatchObject({ success: true });
      }
      const shown = states.map((state) => playCall(tool, example, state).entry.state);
      expect(shown).toEqual(Object.values(galleryStates));
    },
  );
});
