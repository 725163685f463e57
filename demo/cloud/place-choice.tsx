// Where a new conversation runs, chosen before its first prompt.
import { useEffect, useId, useRef } from 'react';
import type { Place } from './find-conversation.ts';

export interface PlaceChoiceProps {
  readonly place: Place;
  /** The person has just chosen: a new conversation was created for that, and the focus must stay here. */
  readonly wasChosen: boolean;
  readonly onChoose: (place: Place) => void;
}

const places = [
  {
    place: 'cloud',
    title: 'In the cloud',
    text: 'It goes on while this page is closed. It begins without files, and with the cloud’s own model.',
  },
  {
    place: 'tab',
    title: 'In this tab',
    text: 'It works on the project in this browser. It can go on in the cloud later, with all its files.',
  },
] as const;

export function PlaceChoice({ place, wasChosen, onChoose }: PlaceChoiceProps) {
  const name = useId();
  const choicesRef = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (wasChosen) choicesRef.current?.querySelector<HTMLElement>(':checked')?.focus();
  }, [wasChosen]);
  return (
    <fieldset ref={choicesRef} className="choices">
      <legend>Where this conversation runs</legend>
      {places.map((offered) => (
        <label key={offered.place} className="choice">
          <input
            type="radio"
            name={name}
            checked={offered.place === place}
            onChange={() => onChoose(offered.place)}
          />
          <span>
            {offered.title}
            <span className="note">{offered.text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
