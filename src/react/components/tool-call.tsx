// One call in the transcript: its tool's view from the host's table, or the plain one. An error in a view affects
// only this view.
import { Component, createElement, lazy, memo, Suspense, use } from 'react';
import type { ReactNode } from 'react';
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { McpAppsContext } from '../apps/apps-context.ts';
import type { ToolView, ToolViews } from '../kit/define-view.tsx';
import { PlainCall } from '../kit/plain-call.tsx';

/** A call, and the views that are looked up by its tool's name. */
export interface ToolCallProps {
  readonly call: ViewedCall;
  /** The views by tool name, such as `toolViews`. A tool without a view is shown plainly. */
  readonly views: ToolViews;
}

/**
 * One call by its tool's view. A call without a view is shown by its raw input and the text of its
 * result. So is one whose view still loads or throws. A call is never left out.
 */
export const ToolCall = memo(function ToolCall({ call, views }: ToolCallProps) {
  const load = Object.hasOwn(views, call.toolName) ? views[call.toolName] : undefined;
  const plain = <PlainCall call={call} />;
  const apps = use(McpAppsContext);
  if (apps && call.app) {
    return (
      <>
        {plain}
        <ViewBoundary fallback={null}>
          <Suspense fallback={null}>
            <McpApp call={{ ...call, app: call.app }} apps={apps} />
          </Suspense>
        </ViewBoundary>
      </>
    );
  }
  if (!load) return plain;
  return (
    <ViewBoundary fallback={plain}>
      <Suspense fallback={plain}>{createElement(lazyView(load), { call })}</Suspense>
    </ViewBoundary>
  );
});

/** Its code is fetched with the first app. */
const McpApp = lazy(async () => ({ default: (await import('../apps/mcp-app.tsx')).McpApp }));

type Load = ToolViews[string];

/**
 * Holds one lazy component for each loader. A new one at every render would load and mount again.
 */
const lazyViews = new WeakMap<Load, ToolView>();

function lazyView(load: Load): ToolView {
  const known = lazyViews.get(load);
  if (known) return known;
  const View = lazy(() => load().then(({ view }) => ({ default: view })));
  lazyViews.set(load, View);
  return View;
}

interface BoundaryProps {
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/** Error boundaries are classes: React has no hook for them. */
class ViewBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
