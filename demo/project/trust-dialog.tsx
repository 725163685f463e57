// Asks whether the rules in a project's files that allow something may take effect.
import { useId, useRef, useSyncExternalStore } from 'react';
import type { WorkspaceTrustQuestion } from 'rockpool/browser';
import { useModal } from '../layout/use-modal.ts';
import { workspaceTrust } from './workspace-trust.ts';

export function TrustDialog({ root }: { readonly root: string }) {
  const question = useSyncExternalStore(workspaceTrust.subscribe, workspaceTrust.getSnapshot);
  return question && <OpenQuestion key={question.hash} question={question} root={root} />;
}

interface OpenQuestionProps {
  readonly question: WorkspaceTrustQuestion;
  readonly root: string;
}

function OpenQuestion({ question, root }: OpenQuestionProps) {
  const dialogRef = useModal();
  const isTrusted = useRef(false);
  const id = useId();
  const close = (trusts: boolean) => {
    isTrusted.current = trusts;
    dialogRef.current?.close();
  };
  const toName = (path: string) =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return (
    <dialog
      ref={dialogRef}
      className="dialog trust-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      // Escape also closes it, which means no. If the dialog is removed with its conversation, it gives no answer.
      onClose={() => workspaceTrust.answer(question.hash, isTrusted.current)}
    >
      <h2 id={`${id}-title`}>Trust these files of the project?</h2>
      <p id={`${id}-text`} className="hint">
        They would allow the agent what you are otherwise asked about. What they forbid holds in any
        case.
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it */}
      <div className="trust-list" role="group" tabIndex={0} aria-label="What they would allow">
        <ul>
          {listAllowed(question, toName).map(({ where, what }, at) => (
            <li key={at}>
              <code>{what}</code> <span className="note">{where}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className="dialog-actions">
        <button type="button" onClick={() => close(false)}>
          Don’t trust
        </button>
        <button type="button" className="primary" onClick={() => close(true)}>
          Trust
        </button>
      </div>
    </dialog>
  );
}

interface Allowed {
  readonly where: string;
  readonly what: string;
}

function listAllowed(
  question: WorkspaceTrustQuestion,
  toName: (path: string) => string,
): readonly Allowed[] {
  const { allow, additionalDirectories, definitions, mode } = question;
  const ofSettings = 'in the settings';
  return [
    ...allow.map((what) => ({ where: ofSettings, what })),
    ...additionalDirectories.map((path) => ({
      where: `${ofSettings}: a directory to reach`,
      what: path,
    })),
    ...(mode ? [{ where: `${ofSettings}: the mode`, what: mode }] : []),
    ...definitions.flatMap(({ path, allow: rules, servers = [] }) => [
      ...rules.map((what) => ({ where: `while ${toName(path)} is used`, what })),
      ...servers.map((what) => ({ where: `an MCP server of ${toName(path)}`, what })),
    ]),
  ];
}
