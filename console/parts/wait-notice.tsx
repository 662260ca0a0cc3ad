import { describeFailure } from '../failures.ts';
import { formatClock, formatSeconds } from '../format.ts';
import { TEXTS } from '../texts.ts';
import { useWait } from '../waits.ts';
import { Button } from './button.tsx';
import { reveal } from './notices.tsx';

/** Why a request waits, and how long, with a way to leave it. */
export function WaitNotice() {
  const { wait, leftMs } = useWait() ?? {};
  if (wait === undefined || leftMs === undefined) return null;
  const { error, endsAt, leave } = wait;
  const { slow, again, stop } = TEXTS.waits;
  const time = formatClock(endsAt);
  return (
    <div className="notice waiting wait" ref={reveal} key={wait.id}>
      <p role="alert">
        {error === undefined ? slow(time) : again(describeFailure(error).message, time)}
      </p>
      <div className="actions">
        <Button small onClick={leave}>
          {stop}
        </Button>
        {/* The text above says the time. This would be read out every second. */}
        <span className="muted number" aria-hidden="true">
          {formatSeconds(leftMs)}
        </span>
      </div>
    </div>
  );
}
