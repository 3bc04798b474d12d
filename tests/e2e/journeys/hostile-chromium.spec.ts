// Archives, names, icons and hosts that do harm or are odd, in Chromium.
import { startChromium } from '../engines/chromium';
import { journeysIn } from '../hostile/journey';

journeysIn('Chromium', startChromium);
