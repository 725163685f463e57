/** The order in which the ordinary run takes its files. */
import { describe, expect, it } from 'vitest';
import type { TestProject, TestSpecification, Vitest } from 'vitest/node';
import { WaitingFilesFirst } from '../../scripts/waiting-files-first.ts';

describe('WaitingFilesFirst', () => {
  it('begins with what waits, keeps projects together, and takes the slower of a folder first', async () => {
    const durations: Record<string, number> = {
      '/test/unit/a.test.ts': 9,
      '/test/e2e/b.node.test.ts': 1,
      '/test/unit/c.test.ts': 8,
      '/test/security/d.test.ts': 2,
      '/test/e2e/e.node.test.ts': 3,
    };
    const projectOf = (name: string) =>
      ({ name, config: { sequence: { groupOrder: 0 }, isolate: false } }) as TestProject;
    const specsOf = (project: TestProject) =>
      Object.keys(durations).map((moduleId) => ({ moduleId, project }) as TestSpecification);
    const getTestSpecificationResult = ({ moduleId }: TestSpecification) => ({
      duration: durations[moduleId] ?? 0,
      failed: false,
    });
    const context = { cache: { getTestSpecificationResult } } as unknown as Vitest;
    const [node, workerd] = [projectOf('node'), projectOf('workerd')];
    const files = specsOf(node).flatMap((spec, at) => [spec, specsOf(workerd)[at] ?? spec]);
    const sorted = await new WaitingFilesFirst(context).sort(files);
    const order = [
      '/test/e2e/e.node.test.ts',
      '/test/e2e/b.node.test.ts',
      '/test/security/d.test.ts',
      '/test/unit/a.test.ts',
      '/test/unit/c.test.ts',
    ];
    expect(sorted.map(({ project, moduleId }) => `${project.name} ${moduleId}`)).toEqual([
      ...order.map((path) => `node ${path}`),
      ...order.map((path) => `workerd ${path}`),
    ]);
  });
});
