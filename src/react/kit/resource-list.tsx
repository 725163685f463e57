// Resources of MCP servers in the views of tools: names and addresses, as text. Nothing is a link:
// only the server knows what its address means.
import { LongList } from './long-list.tsx';

export interface ShownResource {
  readonly uri: string;
  readonly name: string;
  readonly server?: string;
}

/** `withServers`: the resources are those of several servers. */
export function ResourceList({
  resources,
  withServers,
}: {
  readonly resources: readonly ShownResource[];
  readonly withServers: boolean;
}) {
  return (
    <LongList items={resources} step={50} noun="resources">
      {(shown) => (
        <ul className="rp-files">
          {shown.map(({ uri, name, server }) => (
            <li key={`${server} ${uri}`}>
              {name} <code>{uri}</code>
              {withServers && <span className="rp-note"> {server}</span>}
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
