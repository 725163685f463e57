// The tabs that choose the region on a phone. Wide pages show all three regions, without tabs.
import { regions } from './use-regions.ts';
import type { Region } from './use-regions.ts';

export interface TabsProps {
  readonly shown: Region;
  readonly onShow: (region: Region) => void;
  readonly hasQuestion: boolean;
}

const names: Readonly<Record<Region, string>> = {
  files: 'Files',
  editor: 'Editor',
  agent: 'Agent',
};

export function Tabs({ shown, onShow, hasQuestion }: TabsProps) {
  return (
    <nav className="tabs" aria-label="Regions">
      {regions.map((region) => (
        <button
          key={region}
          type="button"
          aria-current={region === shown ? 'page' : undefined}
          onClick={() => onShow(region)}
        >
          {names[region]}
          {region === 'agent' && hasQuestion && (
            <span className="count-badge tab-badge">
              <span aria-hidden="true">!</span>
              <span className="rp-hidden"> asks for permission</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}
