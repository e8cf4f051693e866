package lower

import ()
