-------------------------- MODULE InstanceLocalLib --------------------------
LOCAL INSTANCE Naturals
LOCAL Helper(n) == n + 1
Public(n) == Helper(n)
=============================================================================
