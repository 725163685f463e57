// Shows every tool in every state of its calls, with its real definition and view. It is for authors of tools and
// views; neither the demo nor the package contains it.
import { Suspense, use, useId, useMemo, useState } from 'react';
import type { Tool, Tools } from 'rockpool/browser';
import {
  OpenFileContext,
  PermissionCard,
  ToolCall,
  ToolsContext,
  toolViews,
  Transcript,
  usePermissionQuestions,
} from 'rockpool/react';
import { loadBuiltInTools } from '../../src/tools/definitions.ts';
import { ThemeSelect } from '../layout/theme-select.tsx';
import { galleryStates, playCall } from './play-call.ts';
import type { GalleryState, PlayedCall } from './play-call.ts';
import { playTurns } from './play-turn.ts';
import type { PlayedTurn } from './play-turn.ts';
import { plainExamples, plainTools } from './plain-tools.ts';
import type { ToolExample } from './tool-example.ts';
import { toolExamples } from './tool-examples.ts';

const states = Object.keys(galleryStates) as GalleryState[];
const opener = { cwd: '/workspace', open: () => undefined };

/** The page. Shows nothing before the definitions are loaded. */
export function Gallery() {
  const [loading] = useState(() => loadBuiltInTools());
  return (
    <Suspense fallback={<p className="boot">Loading the tools…</p>}>
      <Page loading={loading} />
    </Suspense>
  );
}

function Page({ loading }: { readonly loading: Promise<Tools> }) {
  const builtIn = use(loading);
  const [isPhone, setIsPhone] = useState(false);
  const tools = useMemo(() => [...builtIn, ...plainTools], [builtIn]);
  const turns = useMemo(() => playTurns(builtIn), [builtIn]);
  return (
    <div className="gallery" data-phone={isPhone}>
      <header className="gallery-header">
        <h1>Gallery</h1>
        <button type="button" onClick={unfoldAll}>
          Unfold all
        </button>
        <label>
          <input
            type="checkbox"
            checked={isPhone}
            onChange={(event) => setIsPhone(event.target.checked)}
          />
          As wide as a phone
        </label>
        <ThemeSelect />
      </header>
      <nav className="gallery-index" aria-label="Tools">
        <ul>
          {[...tools.map(({ name }) => name), 'turns'].map((name) => (
            <li key={name}>
              <a href={`#${name}`}>{name === 'turns' ? 'Whole turns' : name}</a>
            </li>
          ))}
        </ul>
      </nav>
      <main className="gallery-tools" tabIndex={-1}>
        <ToolsContext value={tools}>
          <OpenFileContext value={opener}>
            {tools.map((tool) => (
              <ToolSection key={tool.name} tool={tool} />
            ))}
            <section className="gallery-tool" id="turns" aria-labelledby="turns-title">
              <h2 id="turns-title">Whole turns</h2>
              {turns.map((turn) => (
                <TurnSpecimen key={turn.title} turn={turn} tools={tools} />
              ))}
            </section>
          </OpenFileContext>
        </ToolsContext>
      </main>
    </div>
  );
}

/** Opens all folds by clicks, because their content is rendered only while they are open. */
function unfoldAll(): void {
  const shut = document.querySelectorAll<HTMLElement>('.rp-fold-toggle[aria-expanded="false"]');
  for (const toggle of shut) toggle.click();
}

const none: ToolExample = { input: {}, output: undefined, failure: 'It failed.' };

function ToolSection({ tool }: { readonly tool: Tool }) {
  const { name } = tool;
  const titleId = useId();
  const example = toolExamples[name] ?? plainExamples[name] ?? none;
  const specimens = useMemo(
    () => [
      ...states.map((state) => ({ title: state as string, call: playCall(tool, example, state) })),
      ...Object.entries(example.variants ?? {}).map(([title, variant]) => ({
        title: `done, ${title}`,
        call: playCall(tool, example, 'done', variant),
      })),
    ],
    [tool, example],
  );
  return (
    <section className="gallery-tool" id={name} aria-labelledby={titleId}>
      <h2 id={titleId}>{name}</h2>
      <div className="gallery-specimens">
        {specimens.map(({ title, call }) => (
          <CallSpecimen key={title} title={title} call={call} />
        ))}
      </div>
    </section>
  );
}

interface CallSpecimenProps {
  readonly title: string;
  readonly call: PlayedCall;
}

function CallSpecimen({ title, call: { entry, permissions } }: CallSpecimenProps) {
  const questions = usePermissionQuestions(permissions);
  // A card takes the focus, so only one is shown at a time, on request.
  const [isAsking, setIsAsking] = useState(false);
  return (
    <div className="gallery-specimen" data-specimen={title}>
      <h3>{title}</h3>
      <ToolCall call={entry} views={toolViews} />
      {questions.length > 0 && (
        <button type="button" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {isAsking ? 'Hide the question' : 'Show the question'}
        </button>
      )}
      {isAsking && (
        <PermissionCard
          questions={questions}
          views={toolViews}
          // An answer changes nothing, because the card is only an example.
          onAnswer={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

interface TurnSpecimenProps {
  readonly turn: PlayedTurn;
  readonly tools: Tools;
}

function TurnSpecimen({ turn: { title, turns }, tools }: TurnSpecimenProps) {
  return (
    <div className="gallery-turn" data-specimen={title}>
      <h3>{title}</h3>
      <div className="gallery-transcript">
        <Transcript
          turns={turns}
          views={toolViews}
          tools={tools}
          onStopTask={() => undefined}
          onBackgroundTask={() => undefined}
        />
      </div>
    </div>
  );
}
