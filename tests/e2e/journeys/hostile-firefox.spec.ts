// Harmful or unusual archives, names, icons and hosts, in Firefox.
import { startFirefox } from '../engines/firefox';
import { declareJourneys } from '../hostile/journey';

const firefox = process.env.SWITCHYARD_FIREFOX;

declareJourneys('Firefox', firefox === undefined ? 'no Firefox is here: name one in SWITCHYARD_FIREFOX' : () => startFirefox(firefox));
