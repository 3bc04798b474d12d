// Archives, names, icons and hosts that do harm or are odd, in Firefox.
import { startFirefox } from '../engines/firefox';
import { journeysIn } from '../hostile/journey';

const firefox = process.env.SWITCHYARD_FIREFOX;

journeysIn('Firefox', firefox === undefined ? 'no Firefox is here: name one in SWITCHYARD_FIREFOX' : () => startFirefox(firefox));
