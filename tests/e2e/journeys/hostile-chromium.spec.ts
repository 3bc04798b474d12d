// Harmful or unusual archives, names, icons and hosts, in Chromium.
import { startChromium } from '../engines/chromium';
import { declareJourneys } from '../hostile/journey';

declareJourneys('Chromium', startChromium);
